//! Names, values, unconstrained gradients of kernel trees.

use gp_optim::{Parameter, ParameterSet, ParameterSetMut, Prior, Transform};

use crate::error::KernelError;
use crate::expression;
use crate::kernel::Kernel;
use crate::lengths;

/// Number of values, children included.
pub fn parameter_count<K: Kernel + ?Sized>(kernel: &K) -> usize {
    let own: usize = kernel.parameters().iter().map(Parameter::len).sum();
    own + kernel.children().iter().map(|child| parameter_count(child.as_ref())).sum::<usize>()
}

fn walk<K: Kernel + ?Sized>(kernel: &K, visit: &mut dyn FnMut(&str, &Parameter)) {
    kernel.parameters().iter().for_each(|parameter| visit(kernel.name(), parameter));
    kernel.children().iter().for_each(|child| walk(child.as_ref(), visit));
}

fn walk_mut<K: Kernel + ?Sized>(
    kernel: &mut K,
    visit: &mut dyn FnMut(&mut Parameter) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    kernel.parameters_mut().iter_mut().try_for_each(&mut *visit)?;
    kernel.children_mut().iter_mut().try_for_each(|child| walk_mut(child.as_mut(), visit))
}

/// Copies values until one is rejected (false).
pub(crate) fn copy_values(from: &dyn Kernel, to: &mut dyn Kernel) -> bool {
    let own = from.parameters().iter().zip(to.parameters_mut());
    own.into_iter().all(|(from, to)| to.set_values(from.values()).is_ok())
        && from
            .children()
            .iter()
            .zip(to.children_mut())
            .all(|(from, to)| copy_values(from.as_ref(), to.as_mut()))
}

struct Tree<'a, K: ?Sized>(&'a K);

impl<K: Kernel + ?Sized> ParameterSet for Tree<'_, K> {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        walk(self.0, &mut |_, parameter| visit(parameter));
    }
}

struct TreeMut<'a, K: ?Sized>(&'a mut K);

impl<K: Kernel + ?Sized> ParameterSet for TreeMut<'_, K> {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        Tree(&*self.0).visit(visit);
    }
}

impl<K: Kernel + ?Sized> ParameterSetMut for TreeMut<'_, K> {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.0.for_each_parameter_mut(visit);
    }
}

pub(crate) fn check_per_input(kernel: &str, params: &[Parameter], found: usize) -> Result<(), KernelError> {
    let wrong = params.iter().find(|parameter| parameter.is_vector() && parameter.len() != found);
    wrong.map_or(Ok(()), |parameter| {
        let expected = format!("{} (one per value of {})", parameter.len(), parameter.name());
        Err(KernelError::Dimensions { kernel: kernel.to_owned(), expected, found })
    })
}

/// Parameters and expression of a kernel tree, own first.
///
/// Names: `rbf.lengthscale[1]`; the second `rbf` is `rbf2`. An unambiguous ending suffices; `kernel.` may
/// precede. Without element, all are selected.
pub trait KernelExt: Kernel {
    /// Expression that parses to equal bits.
    fn expression(&self) -> String {
        expression::print(self)
    }

    /// Expression with parameters formatted by `value`.
    fn expression_with(&self, value: &dyn Fn(&Parameter) -> String) -> String {
        expression::print_with(self, value)
    }

    /// Columns of [lengths](Kernel::is_length), else None, in
    /// [`for_each_parameter`](KernelExt::for_each_parameter) order, for `inputs` columns.
    fn length_columns(&self, inputs: usize) -> Vec<Option<Vec<usize>>> {
        let (all, mut found) = ((0..inputs).collect::<Vec<_>>(), Vec::new());
        lengths::collect(self, &all, &mut found);
        found
    }

    /// Number of values.
    fn parameter_count(&self) -> usize {
        parameter_count(self)
    }

    /// Visits every parameter.
    fn for_each_parameter(&self, visit: &mut dyn FnMut(&Parameter)) {
        walk(self, &mut |_, parameter| visit(parameter));
    }

    /// [`for_each_parameter`](Self::for_each_parameter), mutable.
    fn for_each_parameter_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        // The visit cannot fail, so neither can the walk.
        let _ = walk_mut(self, &mut |parameter| {
            visit(parameter);
            Ok(())
        });
    }

    /// Full names of all values.
    fn parameter_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.blocks().iter().for_each(|block| block.push_names(&mut names));
        names
    }

    /// All values, in natural units.
    fn parameter_values(&self) -> Vec<f64> {
        let mut values = Vec::new();
        walk(self, &mut |_, parameter| values.extend_from_slice(parameter.values()));
        values
    }

    /// Value with this name.
    ///
    /// # Errors
    /// [`KernelError::ParameterName`] unless one value matches.
    fn get(&self, name: &str) -> Result<f64, KernelError> {
        let found = self.find(name)?;
        match found.as_slice() {
            [(block, element)] => Ok(self.parameter_values()[block.start + element]),
            several => Err(self.name_error(name, several.len())),
        }
    }

    /// Sets all matching values.
    ///
    /// # Errors
    /// [`KernelError::ParameterName`] unless one parameter matches; [`KernelError::Parameter`].
    fn set(&mut self, name: &str, value: f64) -> Result<(), KernelError> {
        self.change(name, &mut |parameter, element| Ok(parameter.set(element, value)?))
    }

    /// Fixes or frees all matching values.
    ///
    /// # Errors
    /// [`KernelError::ParameterName`] unless one parameter matches.
    fn fix(&mut self, name: &str, fixed: bool) -> Result<(), KernelError> {
        self.change(name, &mut |parameter, element| Ok(parameter.fix(element, fixed)?))
    }

    /// Sets a parameter's bounds.
    ///
    /// # Errors
    /// As [`set`](KernelExt::set).
    fn bound(&mut self, name: &str, transform: Transform) -> Result<(), KernelError> {
        self.change(name, &mut |parameter, _| Ok(parameter.set_transform(transform)?))
    }

    /// Sets or removes a parameter's prior.
    ///
    /// # Errors
    /// As [`set`](KernelExt::set).
    fn set_prior(&mut self, name: &str, prior: Option<Prior>) -> Result<(), KernelError> {
        self.change(name, &mut |parameter, _| Ok(parameter.set_prior(prior)?))
    }

    /// Number of free (trained) values.
    fn free_count(&self) -> usize {
        Tree(self).free_count()
    }

    /// Writes unconstrained free values.
    ///
    /// # Errors
    /// [`KernelError::Parameter`] for wrong length.
    fn write_free(&self, out: &mut [f64]) -> Result<(), KernelError> {
        Ok(Tree(self).write_free(out)?)
    }

    /// Sets free values, unconstrained.
    ///
    /// # Errors
    /// [`KernelError::Parameter`], without changes.
    fn set_free(&mut self, unconstrained: &[f64]) -> Result<(), KernelError> {
        Ok(TreeMut(self).set_free(unconstrained)?)
    }

    /// Converts gradients from natural to free unconstrained values.
    ///
    /// # Errors
    /// [`KernelError::Parameter`] for wrong length.
    fn chain_gradient(&self, natural: &[f64], out: &mut [f64]) -> Result<(), KernelError> {
        Ok(Tree(self).chain_gradient(natural, out)?)
    }

    /// Sum of log prior densities.
    fn log_prior(&self) -> f64 {
        Tree(self).log_prior()
    }

    /// Adds the [`log_prior`](KernelExt::log_prior) gradient, natural units.
    ///
    /// # Errors
    /// [`KernelError::Parameter`] for wrong length.
    fn add_log_prior_gradient(&self, natural: &mut [f64]) -> Result<(), KernelError> {
        Ok(Tree(self).add_log_prior_gradient(natural)?)
    }

    #[doc(hidden)]
    fn blocks(&self) -> Vec<NamedBlock> {
        let mut blocks: Vec<NamedBlock> = Vec::new();
        let mut counts: Vec<(String, usize)> = Vec::new();
        number_nodes(self, &mut blocks, &mut counts, &mut 0);
        blocks
    }

    #[doc(hidden)]
    fn find(&self, name: &str) -> Result<Vec<(NamedBlock, usize)>, KernelError> {
        let wanted = name.strip_prefix("kernel.").unwrap_or(name);
        let (stem, element) = split_element(wanted);
        let blocks: Vec<NamedBlock> = self.blocks().into_iter().filter(|block| block.matches(stem)).collect();
        let [block] = blocks.as_slice() else { return Err(self.name_error(name, blocks.len())) };
        match element {
            None => Ok((0..block.len).map(|i| (block.clone(), i)).collect()),
            Some(i) if i < block.len => Ok(vec![(block.clone(), i)]),
            Some(_) => Err(self.name_error(name, 0)),
        }
    }

    #[doc(hidden)]
    fn name_error(&self, name: &str, found: usize) -> KernelError {
        KernelError::ParameterName {
            name: name.to_owned(),
            found,
            available: self.parameter_names().join(", "),
        }
    }

    #[doc(hidden)]
    fn change(
        &mut self,
        name: &str,
        apply: &mut dyn FnMut(&mut Parameter, usize) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        let targets: Vec<usize> = self.find(name)?.into_iter().map(|(block, i)| block.start + i).collect();
        let mut start = 0;
        walk_mut(self, &mut |parameter| {
            let elements = start..start + parameter.len();
            start = elements.end;
            targets
                .iter()
                .filter(|t| elements.contains(t))
                .try_for_each(|t| apply(parameter, t - elements.start))
        })
    }
}

impl<K: Kernel + ?Sized> KernelExt for K {}

/// Parameter name and value positions.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct NamedBlock {
    name: String,
    start: usize,
    len: usize,
    vector: bool,
}

impl NamedBlock {
    fn push_names(&self, names: &mut Vec<String>) {
        if self.vector {
            names.extend((0..self.len).map(|i| format!("{}[{i}]", self.name)));
        } else {
            names.push(self.name.clone());
        }
    }

    /// `true` for the name or its end after a dot.
    fn matches(&self, wanted: &str) -> bool {
        self.name == wanted || self.name.strip_suffix(wanted).is_some_and(|front| front.ends_with('.'))
    }
}

fn number_nodes<K: Kernel + ?Sized>(
    kernel: &K,
    blocks: &mut Vec<NamedBlock>,
    counts: &mut Vec<(String, usize)>,
    start: &mut usize,
) {
    if !kernel.parameters().is_empty() {
        let label = numbered_label(kernel.name(), counts);
        for parameter in kernel.parameters() {
            let (len, vector) = (parameter.len(), parameter.is_vector());
            blocks.push(NamedBlock {
                name: format!("{label}.{}", parameter.name()),
                start: *start,
                len,
                vector,
            });
            *start += len;
        }
    }
    for child in kernel.children() {
        number_nodes(child.as_ref(), blocks, counts, start);
    }
}

fn numbered_label(name: &str, counts: &mut Vec<(String, usize)>) -> String {
    match counts.iter_mut().find(|(known, _)| known == name) {
        Some((_, count)) => {
            *count += 1;
            format!("{name}{count}")
        }
        None => {
            counts.push((name.to_owned(), 1));
            name.to_owned()
        }
    }
}

/// Splits `lengthscale[3]` into `lengthscale` and 3.
fn split_element(name: &str) -> (&str, Option<usize>) {
    let parts = name.strip_suffix(']').and_then(|front| front.rsplit_once('['));
    match parts.and_then(|(stem, element)| Some((stem, element.parse().ok()?))) {
        Some((stem, element)) => (stem, Some(element)),
        None => (name, None),
    }
}
