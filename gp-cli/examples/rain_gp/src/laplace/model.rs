//! Posterior mode, log evidence and gradient.

use crate::at_mode::AtMode;
use faer::{Accum, Mat, MatRef, Scale};
use gp_cli::model::{Approximation, Functions};
use gp_cli::{CliError, ErrorKind};
use gp_ep::{LatentModel, Predictor};
use gp_kernels::Evaluator;
use gp_kernels::inducing::{InducingPrior, PriorGradients, Projection, SharedPoints};
use gp_likelihoods::curvature::{Curvature, LogDensityAt, by_latent, by_params};
use gp_likelihoods::parameter_count;
use gp_linalg::{Cholesky, JitterPolicy, LinalgError, Threading};

/// Largest slope at a mode.
const FLAT: f64 = 1e-9;
/// Values added to the curvature in turn, until a step increases the log posterior.
const DAMPING: [f64; 8] = [0.0, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e4, 1e6];

/// Latent model and maximum Newton steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model<'a> {
    pub(super) latent: &'a LatentModel,
    pub(super) newton: u64,
}

type Rows<'a> = (MatRef<'a, f64>, &'a [f64]);
type Seen = (InducingPrior, Projection);

/// Mode v of `ln p(y | Φᵀv) − ½vᵀv`.
pub(super) struct Mode {
    seen: Vec<Seen>,
    /// Φ per latent, zeros in other rows.
    phi: Vec<Mat<f64>>,
    v: Mat<f64>,
    here: Look,
    /// Factor of `H = I + Σ_i Φ_i W_i Φ_iᵀ`.
    factor: Cholesky,
    /// `ln p(y | Φᵀv) − ½vᵀv − ½ ln |H|`
    pub(super) log_evidence: f64,
}

/// Log posterior at v; latent values and curvatures of rows.
struct Look {
    log_posterior: f64,
    f: Vec<Vec<f64>>,
    rows: Vec<Curvature>,
}

impl Model<'_> {
    pub(super) fn evaluate(&self, rows: Rows<'_>, gradient: Option<&mut [f64]>) -> Result<f64, CliError> {
        let mode = self.mode(rows)?;
        gradient.map_or(Ok(()), |gradient| self.gradient(rows.1, &mode, gradient))?;
        Ok(mode.log_evidence)
    }

    /// Newton's method, damped where not concave.
    pub(super) fn mode(&self, (points, targets): Rows<'_>) -> Result<Mode, CliError> {
        if targets.is_empty() {
            return Err(CliError::new(ErrorKind::Data, "there are no rows to learn from"));
        }
        let (seen, phi) = self.project(points)?;
        let mut v = Mat::zeros(phi[0].nrows(), 1);
        let mut here = self.look(&phi, &v, targets)?;
        'steps: for _ in 0..self.newton {
            let slope = gathered(&phi, |q, i| here.rows[i].gradient[q])? - &v;
            let mut hessian = Mat::<f64>::identity(v.nrows(), v.nrows());
            for (q, left) in phi.iter().enumerate() {
                for (r, right) in phi.iter().enumerate() {
                    let w = Mat::from_fn(targets.len(), 1, |i, _| here.rows[i].w[q * phi.len() + r]);
                    hessian += product(left.as_ref(), (w.col(0).as_diagonal() * right.transpose()).as_ref())?;
                }
            }
            if slope.col(0).iter().all(|slope| slope.abs() <= FLAT) {
                let factor = Cholesky::factor(hessian.as_ref(), &JitterPolicy::none()).map_err(failed)?;
                let log_evidence = here.log_posterior - 0.5 * factor.log_det();
                return Ok(Mode { seen, phi, v, here, factor, log_evidence });
            }
            for damping in DAMPING {
                let damped = &hessian + Scale(damping) * Mat::<f64>::identity(v.nrows(), v.nrows());
                let Ok(factor) = Cholesky::factor(damped.as_ref(), &JitterPolicy::none()) else { continue };
                let mut trial = slope.clone();
                factor.solve_in_place(trial.as_mut(), Threading::Here).map_err(failed)?;
                trial += &v;
                // Near the mode, gains are smaller than their rounding errors.
                let least = here.log_posterior - 1e-12 * here.log_posterior.abs();
                let found = self.look(&phi, &trial, targets).ok();
                if let Some(found) = found.filter(|found| found.log_posterior >= least) {
                    (v, here) = (trial, found);
                    continue 'steps;
                }
            }
            return Err(CliError::new(ErrorKind::Numerical, "no step leads closer to the mode"));
        }
        let message = format!("no mode was found in {} Newton steps; raise --newton", self.newton);
        Err(CliError::new(ErrorKind::Numerical, message))
    }

    fn project(&self, points: MatRef<'_, f64>) -> Result<(Vec<Seen>, Vec<Mat<f64>>), CliError> {
        let (by, shared, mut start) = (Evaluator::default(), SharedPoints::new(points), 0);
        let total = self.latent.processes().iter().map(|process| process.inputs().count()).sum();
        let each = self.latent.processes().iter().map(|process| {
            let prior = InducingPrior::new(process, &JitterPolicy::default(), &by)?;
            let projection = prior.project(&shared, 0, &by)?;
            let mut phi = Mat::zeros(total, points.nrows());
            phi.as_mut().subrows_mut(start, prior.count()).copy_from(projection.phi());
            start += prior.count();
            Ok(((prior, projection), phi))
        });
        each.collect()
    }

    fn look(&self, phi: &[Mat<f64>], v: &Mat<f64>, targets: &[f64]) -> Result<Look, CliError> {
        let f = along_all(phi, v)?;
        let rows =
            f.iter().zip(targets).map(|(f, y)| self.at(y, f).curvature()).collect::<Result<Vec<_>, _>>()?;
        let log_density = rows.iter().map(|row| row.value).sum::<f64>();
        Ok(Look { log_posterior: log_density - 0.5 * v.squared_norm_l2(), f, rows })
    }

    fn at<'a>(&'a self, y: &'a f64, f: &'a [f64]) -> LogDensityAt<'a> {
        LogDensityAt { likelihood: self.latent.likelihood(), y: std::slice::from_ref(y), f }
    }

    /// Gradient of the log evidence by natural values. It includes the shift of the mode: with λ the gradient of
    /// `−½ ln |H|` by v and `a = H⁻¹ λ`, a change δ of the slopes changes the log evidence by `aᵀδ`.
    pub(super) fn gradient(&self, targets: &[f64], mode: &Mode, out: &mut [f64]) -> Result<(), CliError> {
        let Mode { phi, here: Look { f, rows, .. }, .. } = mode;
        let solved = phi.iter().map(|phi| mode.solved(phi.clone())).collect::<Result<Vec<_>, _>>()?;
        let mut likelihood = vec![0.0; parameter_count(self.latent.likelihood().parameters())];
        let mut add =
            |slopes: Vec<f64>| likelihood.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope);
        // Slopes of −½ ln |H| by the latent values of each row.
        let mut bends = vec![vec![0.0; phi.len()]; rows.len()];
        for (i, bend) in bends.iter_mut().enumerate() {
            let covariance = |q: usize, r: usize| phi[q].col(i).transpose() * solved[r].col(i);
            let at = self.at(&targets[i], &f[i]);
            *bend = at.spread(covariance, by_latent)?;
            add(by_params(at)?);
            add(at.spread(covariance, by_params)?);
        }
        let a = mode.solved(gathered(phi, |q, i| bends[i][q])?)?;
        let moved = along_all(phi, &a)?;
        for (i, f) in f.iter().enumerate() {
            add(self.at(&targets[i], f).along(&moved[i], by_params)?);
        }
        let (by, none, mut start, mut rest) = (Evaluator::default(), vec![0.0; rows.len()], 0, out);
        for (q, (prior, projection)) in mode.seen.iter().enumerate() {
            let mut upstream = Mat::from_fn(prior.count(), rows.len(), |m, i| {
                let (m, slope, w) = (start + m, rows[i].gradient[q], &rows[i].w[q * phi.len()..]);
                let bent: f64 = w.iter().zip(&moved[i]).map(|(w, moved)| w * moved).sum();
                let shrunk: f64 = w.iter().zip(&solved).map(|(w, solved)| w * solved[(m, i)]).sum();
                (slope + bends[i][q] - bent) * mode.v[(m, 0)] + slope * a[(m, 0)] - shrunk
            });
            let mut sums = PriorGradients::zeros(self.latent.process(q));
            projection.reverse(upstream.as_mut(), &none, &mut sums, &by)?;
            prior.finish_reverse(&mut sums, &by)?;
            rest = sums.write_to(rest);
            start += prior.count();
        }
        rest.copy_from_slice(&likelihood);
        Ok(())
    }

    pub(super) fn posterior(&self, mode: Mode) -> Result<Approximation, CliError> {
        let functions = Functions::new(AtMode::new(self.latent.processes(), mode.v, mode.factor)?);
        Ok(Predictor::new(functions, self.latent.likelihood().clone_box(), Threading::Pool)?)
    }
}

impl Mode {
    fn solved(&self, mut x: Mat<f64>) -> Result<Mat<f64>, CliError> {
        self.factor.solve_in_place(x.as_mut(), Threading::Pool).map(|()| x).map_err(failed)
    }
}

/// `Σ_i Φ_i x_i`, with one x per latent and row.
fn gathered(phi: &[Mat<f64>], x: impl Fn(usize, usize) -> f64) -> Result<Mat<f64>, CliError> {
    let mut sum = Mat::zeros(phi[0].nrows(), 1);
    for (q, phi) in phi.iter().enumerate() {
        sum += product(phi.as_ref(), Mat::from_fn(phi.ncols(), 1, |i, _| x(q, i)).as_ref())?;
    }
    Ok(sum)
}

/// `Φᵀx` per latent and row.
fn along_all(phi: &[Mat<f64>], x: &Mat<f64>) -> Result<Vec<Vec<f64>>, CliError> {
    let each = phi.iter().map(|phi| product(phi.transpose(), x.as_ref())).collect::<Result<Vec<_>, _>>()?;
    Ok((0..phi[0].ncols()).map(|i| each.iter().map(|values| values[(i, 0)]).collect()).collect())
}

fn product(left: MatRef<'_, f64>, right: MatRef<'_, f64>) -> Result<Mat<f64>, CliError> {
    let mut out = Mat::zeros(left.nrows(), right.ncols());
    gp_linalg::product::matmul(out.as_mut(), Accum::Replace, left, right, 1.0, Threading::Pool)
        .map_err(failed)?;
    Ok(out)
}

fn failed(cause: LinalgError) -> CliError {
    CliError::caused(ErrorKind::Numerical, "the curvature is that of no maximum", cause)
}
