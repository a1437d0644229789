//! Checks of round trips of expressions, serde, parameters.

use super::{KernelKit, Report};
use crate::evaluate::gram;
use crate::kernel::Kernel;
use crate::tree::KernelExt;

pub(super) fn check(kit: &KernelKit, kernel: &dyn Kernel, report: &mut Report) {
    let text = kernel.expression();
    let x = kit.table(9, 20);
    let (known, read) = (gram(kernel, x.as_ref()), kit.registry.parse(&text));
    if let Some(read) = report.value("reading the printed expression", read) {
        let printed = read.expression();
        report.require(printed == text, || format!("reads back as `{printed}`"));
        let same = matches!((&known, gram(read.as_ref(), x.as_ref())), (Ok(a), Ok(b)) if *a == b);
        report.require(same, || "the kernel read back has other covariances".to_owned());
    }
    serde_round_trip(kernel, report);
    names(kernel, report);
    unconstrained(kernel, report);
}

fn serde_round_trip(kernel: &dyn Kernel, report: &mut Report) {
    if crate::parse(&kernel.expression()).is_err() {
        return;
    }
    let Some(text) = report.value("serialising", serde_json::to_string(kernel)) else { return };
    let Some(read) = report.value("deserialising", serde_json::from_str::<Box<dyn Kernel>>(&text)) else {
        return;
    };
    let (printed, expected) = (read.expression(), kernel.expression());
    report.require(printed == expected, || format!("deserialises as `{printed}`"));
}

fn names(kernel: &dyn Kernel, report: &mut Report) {
    let (names, values) = (kernel.parameter_names(), kernel.parameter_values());
    report.require(names.len() == values.len(), || {
        format!("{} names for {} values", names.len(), values.len())
    });
    for (name, value) in names.iter().zip(values) {
        if let Some(found) = report.value("getting a parameter by name", kernel.get(name)) {
            report.require(found == value, || format!("`{name}` is {found}, not {value}"));
        }
    }
}

/// Round trips, up to rounding.
fn unconstrained(kernel: &dyn Kernel, report: &mut Report) {
    let mut copy = kernel.clone_box();
    let mut free = vec![0.0; kernel.free_count()];
    report.value("writing unconstrained parameters", kernel.write_free(&mut free));
    report.value("setting unconstrained parameters", copy.set_free(&free));
    for (before, after) in kernel.parameter_values().into_iter().zip(copy.parameter_values()) {
        let error = (after - before).abs() / before.abs().max(1e-300);
        report.require(error < 1e-12, || format!("parameter {before} came back as {after}"));
    }
}
