//! Contributions of kernel terms to latents.

use crate::data::Kind;
use crate::error::CliError;
use crate::latents;
use crate::model::Model;
use crate::out::OutTable;
use faer::MatRef;
use gp_kernels::expression::{Form, KernelSetting, SettingValue};
use gp_kernels::posterior::terms;
use gp_kernels::{Kernel, KernelExt as _};
use std::collections::{BTreeSet, HashMap};

/// Adds mean and variance per term and latent. Means and the subtracted constant sum to the latent mean.
pub(crate) fn push(table: &mut OutTable, model: &Model, points: MatRef<'_, f64>) -> Result<(), CliError> {
    let by = model.posterior();
    let (scale, columns) = (latents::latent_scale(model), model.inputs().column_names());
    let labels = latents::latent_names(model);
    if scale.mean != 0.0 {
        let centre = vec![scale.mean; points.nrows()];
        match model.target().kind {
            Kind::Date => table.push_dates(CENTRE, centre),
            _ => table.push_numbers(CENTRE, centre),
        }
    }
    for (latent, label) in labels.iter().enumerate() {
        let kernel = by.describe()[latent].kernel;
        let names = term_names(kernel, &columns);
        // Inseparable terms are predicted as one.
        let parts = by.predict_terms(latent, points)?;
        let whole = [without_numbers(kernel, &columns)];
        let names = if parts.len() == names.len() { names.as_slice() } else { whole.as_slice() };
        for (name, part) in names.iter().zip(parts) {
            let name = label.as_ref().map_or_else(|| name.clone(), |label| format!("{name}, {label}"));
            table.push_numbers(
                format!("part({name})"),
                part.mean.into_iter().map(|z| scale.scale * z).collect(),
            );
            let variance = part.variance.into_iter().map(|variance| scale.undo_variance(variance));
            table.push_numbers(format!("part_variance({name})"), variance.collect());
        }
    }
    Ok(())
}

/// Subtracted mean of training targets.
const CENTRE: &str = "part(centre)";

/// For example `rbf * periodic` or `linear[age]`; equal names are numbered.
pub(crate) fn term_names(kernel: &dyn Kernel, columns: &[String]) -> Vec<String> {
    let names: Vec<String> = terms(kernel).into_iter().map(|term| without_numbers(term, columns)).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let numbered = |name: &str| {
        let place = seen.entry(counts.get_key_value(name).map_or("", |(name, _)| name)).or_default();
        *place += 1;
        if counts.get(name) == Some(&1) { name.to_owned() } else { format!("{name} {place}") }
    };
    names.iter().map(String::as_str).map(numbered).collect()
}

pub(crate) fn columns_of(kernel: &dyn Kernel, count: usize) -> Vec<usize> {
    if let Some(dims) = dims(kernel) {
        return dims;
    }
    if kernel.children().is_empty() {
        return (0..count).collect();
    }
    let children = kernel.children().iter();
    let seen: BTreeSet<usize> = children.flat_map(|child| columns_of(child.as_ref(), count)).collect();
    seen.into_iter().collect()
}

fn dims(kernel: &dyn Kernel) -> Option<Vec<usize>> {
    let settings = kernel.settings();
    let dims = settings.iter().find(|setting| setting.name() == "dims").map(KernelSetting::value);
    match dims {
        Some(SettingValue::List(dims)) if kernel.form() == Form::Dims => Some(dims.clone()),
        _ => None,
    }
}

/// Expression without parameters, with column names.
fn without_numbers(kernel: &dyn Kernel, columns: &[String]) -> String {
    let children = |between: &str| {
        let children = kernel.children().iter();
        let names: Vec<String> = children.map(|child| without_numbers(child.as_ref(), columns)).collect();
        names.join(between)
    };
    match kernel.form() {
        Form::Call => kernel.name().to_owned(),
        Form::Sum => format!("({})", children(" + ")),
        Form::Product | Form::Scale => children(" * "),
        Form::Dims => match seen_columns(kernel, columns) {
            Some(seen) => format!("{}[{seen}]", children("")),
            None => kernel.expression(),
        },
    }
}

fn seen_columns(kernel: &dyn Kernel, columns: &[String]) -> Option<String> {
    let dims = dims(kernel)?;
    let names: Option<Vec<&str>> = dims.iter().map(|&dim| columns.get(dim).map(String::as_str)).collect();
    Some(names?.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_have_short_names_that_differ() {
        let names = |text: &str| {
            let columns = ["age".to_owned(), "colour=red".to_owned()];
            term_names(gp_kernels::parse(text).unwrap().as_ref(), &columns)
        };
        assert_eq!(names("2 * rbf(lengthscale=3)"), ["rbf"]);
        assert_eq!(names("2 * (rbf + linear) * matern32"), ["(rbf + linear) * matern32"]);
        assert_eq!(names("rbf + linear + 2 * rbf"), ["rbf 1", "linear", "rbf 2"]);
        assert_eq!(names("rbf(dims=[0]) + rbf(dims=[1, 0])"), ["rbf[age]", "rbf[colour=red, age]"]);
        assert_eq!(names("select(rbf + linear, dims=[1])"), ["(rbf + linear)[colour=red]"]);
        // Column 7 does not exist.
        let kernel = gp_kernels::parse("rbf(dims=[2]) * (linear(dims=[0]) + 3 * rbf(dims=[2, 1]))").unwrap();
        assert_eq!(columns_of(kernel.as_ref(), 4), [0, 1, 2]);
        assert_eq!(columns_of(gp_kernels::parse("2 * rbf").unwrap().as_ref(), 2), [0, 1]);
        assert_eq!(names("linear(lengthscale=1, dims=[7])"), ["linear(lengthscale=1, dims=[7])"]);
    }
}
