//! Kernel texts describing a fit.

use super::spec::LengthUnits;
use crate::encode::Inputs;
use crate::lengths::{readable, readable_in_model_units};
use gp_kernels::{Kernel, KernelExt as _};

const MAX_KERNELS: usize = 12;

pub(super) fn kernel_texts(kernels: &[Box<dyn Kernel>], units: LengthUnits, inputs: &Inputs) -> String {
    let text = |kernel: &dyn Kernel| {
        let shown = without_idle_priors(kernel);
        match units {
            LengthUnits::Model => readable_in_model_units(shown.as_ref()),
            LengthUnits::Data => readable(shown.as_ref(), inputs),
        }
    };
    let texts: Vec<String> = kernels.iter().map(|kernel| text(kernel.as_ref())).collect();
    if texts.windows(2).all(|pair| pair[0] == pair[1]) {
        return texts.first().map(|text| short(text)).unwrap_or_default();
    }
    let each = texts.iter().take(MAX_KERNELS).enumerate();
    let mut each: Vec<String> =
        each.map(|(place, text)| format!("({}) {}", place + 1, short(text))).collect();
    if texts.len() > MAX_KERNELS {
        each.push(format!("and {} more", texts.len() - MAX_KERNELS));
    }
    each.join(", ")
}

fn without_idle_priors(kernel: &dyn Kernel) -> Box<dyn Kernel> {
    let mut shown = kernel.clone_box();
    shown.for_each_parameter_mut(&mut |parameter| {
        if parameter.free_len() == 0 {
            // Removing a prior cannot fail.
            parameter.set_prior(None).unwrap_or_default();
        }
    });
    shown
}

fn short(text: &str) -> String {
    const LONGEST: usize = 300;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
