//! Methods on numerically difficult tables: in time, with sound predictions or errors that name the cause.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod bench;
mod sound;
mod tables;

use bench::Bench;
use gp_cli::Context;

fn torture(method: &str) {
    let (context, bench) = (Context::built_in(), Bench::new());
    let method = context.methods.find(method).unwrap();
    let mut cells = 0;
    let mut faults = Vec::new();
    for table in tables::all() {
        let Some(flags) = table.flags(&context, method.as_ref()) else { continue };
        cells += 1;
        if let Err(fault) = bench.cell(&table, method.name(), &flags) {
            faults.push(format!("{} on {} ({flags}): {fault}", method.name(), table.name));
        }
    }
    assert!(cells >= 5, "{} took only {cells} tables", method.name());
    assert!(faults.is_empty(), "{} of {cells} cells:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_method_is_tortured() {
    let names = ["exact", "pep", "vfe", "fitc", "ep", "sep", "gfitc", "svgp", "savigp", "ivm"];
    let mut known = Context::built_in().methods.names();
    known.sort_unstable();
    let mut tortured = names.to_vec();
    tortured.sort_unstable();
    assert_eq!(known, tortured);
}

#[test]
fn exact() {
    torture("exact");
}

#[test]
fn pep() {
    torture("pep");
}

#[test]
fn vfe() {
    torture("vfe");
}

#[test]
fn fitc() {
    torture("fitc");
}

#[test]
fn ep() {
    torture("ep");
}

#[test]
fn sep() {
    torture("sep");
}

#[test]
fn gfitc() {
    torture("gfitc");
}

#[test]
fn svgp() {
    torture("svgp");
}

#[test]
fn savigp() {
    torture("savigp");
}

#[test]
fn ivm() {
    torture("ivm");
}
