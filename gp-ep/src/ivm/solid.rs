//! The representation of the posterior over frozen sites, grown one point at a time (seed 002 §4.1, §4.2).
//!
//! For every class `E = I + D^½ K D^½ = L⁽ᶜ⁾ L⁽ᶜ⁾ᵀ` with D = diag π⁽ᶜ⁾ and `B⁽ᶜ⁾ = L⁽ᶜ⁾⁻¹ D^½`; for all together
//! `H = Σ_c B⁽ᶜ⁾ᵀ B⁽ᶜ⁾ = L Lᵀ`. With the stubs `m = B k` and `q = L⁻¹ Bᵀ m` of a point marginals are
//! `A = diag(k − ‖m‖²) + QᵀQ` and `h⁽ᶜ⁾ = m⁽ᶜ⁾ᵀ β⁽ᶜ⁾ + q⁽ᶜ⁾ᵀ β`, where
//! `β⁽ᶜ⁾ = L⁽ᶜ⁾⁻¹ D^{−½} b⁽ᶜ⁾` and `β = L⁻¹ Σ_c (b⁽ᶜ⁾ − B⁽ᶜ⁾ᵀ β⁽ᶜ⁾)`.
//!
//! These two are all four β vectors of the seed and its `K v` in one: `A b = (Ã + FᵀF) b` holds for any b, whether it is
//! in the range of Π or not. B itself is never stored; what is needed of it is a solve with L⁽ᶜ⁾.

use faer::{MatMut, MatRef};
use gp_linalg::rotate::RotationScratch;
use gp_linalg::{Cholesky, LinalgError, Threading};

/// The site of one observation: `exp(bᵀu − ½ uᵀΠu)`, Π = diag π − π πᵀ/(1ᵀπ), or diag π where classes are independent.
#[derive(Clone, Debug, PartialEq)]
pub struct RestrictedSite {
    /// π, one number a class, above 0.
    pub precision: Vec<f64>,
    /// b, one number a class.
    pub shift: Vec<f64>,
}

/// What the inclusion of a point means for the stubs of one class.
#[derive(Clone, Debug)]
pub(super) struct ClassStep {
    /// √π of the new point.
    pub(super) root: f64,
    /// The new row of L⁽ᶜ⁾ without, and its diagonal entry.
    pub(super) row: Vec<f64>,
    pub(super) diagonal: f64,
    /// The new row −D^½ L⁽ᶜ⁾⁻ᵀ l/l of B⁽ᶜ⁾ without its diagonal entry, and that entry.
    pub(super) borders: Vec<f64>,
    pub(super) border: f64,
    /// L⁻¹ times that row.
    pub(super) direction: Vec<f64>,
}

/// What it means for all classes together.
#[derive(Clone, Debug, Default)]
pub(super) struct JointStep {
    pub(super) groups: Vec<RotationGroup>,
    /// The new row of L without, and its diagonal entry.
    pub(super) row: Vec<f64>,
    pub(super) diagonal: f64,
}

#[derive(Clone, Debug)]
pub(super) struct RotationGroup {
    pub(super) directions: usize,
    pub(super) rotations: Vec<[f64; 2]>,
}

/// L⁽ᶜ⁾, √π and β⁽ᶜ⁾ of one class.
#[derive(Clone, Debug)]
pub(super) struct SolidClass {
    factor: Cholesky,
    root: Vec<f64>,
    pub(super) beta: Vec<f64>,
}

impl SolidClass {
    pub(super) fn new(capacity: usize) -> Self {
        Self { factor: Cholesky::with_capacity(capacity), root: Vec::new(), beta: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.root.len()
    }

    /// Appends a point of site (π, b) with covariances `kernel` with those there are, and prior variance `prior`.
    pub(super) fn include(
        &mut self,
        (pi, b): (f64, f64),
        kernel: &[f64],
        prior: f64,
    ) -> Result<ClassStep, LinalgError> {
        let (d, root) = (self.len(), pi.sqrt());
        let column: Vec<f64> = kernel.iter().zip(&self.root).map(|(k, r)| k * r * root).collect();
        let mut row = column.clone();
        self.factor
            .half_solve_in_place(MatMut::from_column_major_slice_mut(&mut row, d, 1), Threading::Here)?;
        let mut borders = row.clone();
        let solved = MatMut::from_column_major_slice_mut(&mut borders, d, 1);
        self.factor.half_solve_transpose_in_place(solved, Threading::Here)?;
        let corner = [1.0 + pi * prior];
        self.factor.extend(
            MatRef::from_column_major_slice(&column, d, 1),
            MatRef::from_column_major_slice(&corner, 1, 1),
        )?;
        let diagonal = self.factor.l()[(d, d)];
        borders.iter_mut().zip(&self.root).for_each(|(b, root)| *b *= -root / diagonal);
        let known: f64 = row.iter().zip(&self.beta).map(|(l, beta)| l * beta).sum();
        self.beta.push((b / root - known) / diagonal);
        self.root.push(root);
        Ok(ClassStep { root, row, diagonal, borders, direction: Vec::new(), border: root / diagonal })
    }

    fn truncate(&mut self, d: usize) {
        self.factor.truncate(d);
        self.root.truncate(d);
        self.beta.truncate(d);
    }
}

/// The representation over all classes, with the same points in each.
#[derive(Clone, Debug)]
pub(super) struct Solid {
    /// Rows of the data, in the order of inclusion.
    pub(super) rows: Vec<usize>,
    pub(super) sites: Vec<RestrictedSite>,
    pub(super) classes: Vec<SolidClass>,
    joint: Cholesky,
    pub(super) beta: Vec<f64>,
    scratch: RotationScratch,
}

impl Solid {
    pub(super) fn new(classes: usize, capacity: usize) -> Self {
        Self {
            rows: Vec::new(),
            sites: Vec::new(),
            classes: vec![SolidClass::new(capacity); classes],
            joint: Cholesky::with_capacity(capacity),
            beta: Vec::new(),
            scratch: RotationScratch::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Includes a point whose covariances with all points are given by class; nothing changes on an error.
    pub(super) fn include<K: AsRef<[f64]>>(
        &mut self,
        row: usize,
        site: &RestrictedSite,
        kernel: &[K],
    ) -> Result<(Vec<ClassStep>, JointStep), LinalgError> {
        let d = self.len();
        let done = self.include_classes(row, site, kernel).and_then(|mut steps| {
            let joint = self.include_joint(&mut steps, site)?;
            Ok((steps, joint))
        });
        match &done {
            Ok(_) => {
                self.rows.push(row);
                self.sites.push(site.clone());
            }
            Err(_) => self.classes.iter_mut().for_each(|class| class.truncate(d)),
        }
        done
    }

    fn include_classes<K: AsRef<[f64]>>(
        &mut self,
        row: usize,
        site: &RestrictedSite,
        kernel: &[K],
    ) -> Result<Vec<ClassStep>, LinalgError> {
        let mut steps = Vec::with_capacity(self.classes.len());
        for (c, class) in self.classes.iter_mut().enumerate() {
            let all = kernel[c].as_ref();
            let known: Vec<f64> = self.rows.iter().map(|&i| all[i]).collect();
            steps.push(class.include((site.precision[c], site.shift[c]), &known, all[row])?);
        }
        Ok(steps)
    }

    /// H + Σ b bᵀ, then its new row.
    fn include_joint(
        &mut self,
        steps: &mut [ClassStep],
        site: &RestrictedSite,
    ) -> Result<JointStep, LinalgError> {
        let (d, classes) = (self.len(), steps.len());
        let borders = steps.iter().flat_map(|step| &step.borders).copied().collect::<Vec<f64>>();
        let borders = MatRef::from_column_major_slice(&borders, d, classes);
        let mut directions = borders.to_owned();
        self.joint.half_solve_in_place(directions.as_mut(), Threading::Here)?;
        let mut beta = self.beta.clone();
        for (c, step) in steps.iter_mut().enumerate() {
            step.direction = directions.col(c).iter().copied().collect();
            let new = self.classes[c].beta[d];
            beta.iter_mut().zip(&step.direction).for_each(|(beta, g)| *beta -= new * g);
        }
        let mut joint = self.joint.clone();
        let drag = MatMut::from_column_major_slice_mut(&mut beta, d, 1);
        joint.update(borders, drag, &mut self.scratch, Threading::Here)?;
        let step = self.extend_joint(&mut joint, steps, borders)?;
        let sum: f64 =
            steps.iter().enumerate().map(|(c, s)| site.shift[c] - self.classes[c].beta[d] * s.border).sum();
        let known: f64 = step.row.iter().zip(&beta).map(|(l, beta)| l * beta).sum();
        beta.push((sum - known) / step.diagonal);
        (self.joint, self.beta) = (joint, beta);
        Ok(step)
    }

    fn extend_joint(
        &self,
        joint: &mut Cholesky,
        steps: &[ClassStep],
        borders: MatRef<'_, f64>,
    ) -> Result<JointStep, LinalgError> {
        let d = borders.nrows();
        let mut column = vec![0.0; d];
        for (c, step) in steps.iter().enumerate() {
            column.iter_mut().enumerate().for_each(|(k, value)| *value += borders[(k, c)] * step.border);
        }
        let corner = [steps.iter().map(|step| step.border * step.border).sum()];
        joint.extend(
            MatRef::from_column_major_slice(&column, d, 1),
            MatRef::from_column_major_slice(&corner, 1, 1),
        )?;
        let l = joint.l();
        let groups = self
            .scratch
            .groups()
            .map(|(directions, rotations)| RotationGroup { directions, rotations: rotations.to_vec() });
        Ok(JointStep {
            groups: groups.collect(),
            row: (0..d).map(|j| l[(d, j)]).collect(),
            diagonal: l[(d, d)],
        })
    }
}
