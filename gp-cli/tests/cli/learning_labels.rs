//! Labels with many irrelevant inputs or classes.

use crate::support::{Desk, normal_table};

/// Nearly normal inputs; label k0, k1, … by the number of `cuts` below `f` of inputs and another number.
fn labelled(seed: u64, sizes: (usize, usize), cuts: &[f64], f: fn(&[f64], f64) -> f64) -> String {
    normal_table(seed, sizes, |x, next| {
        let value = f(x, next);
        format!("k{}", cuts.iter().filter(|cut| value > **cut).count())
    })
}

/// Error in further rows.
fn error(desk: &Desk, flags: &str) -> f64 {
    let json = desk.ok(&format!("fit t.csv --target y --test new.csv --json --force {flags}")).json();
    json["test"]["scores"]["gp"]["error"].as_f64().unwrap()
}

fn desk(sizes: (usize, usize), cuts: &[f64], f: fn(&[f64], f64) -> f64) -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", labelled(3, sizes, cuts, f));
    desk.write("new.csv", labelled(2, (400, sizes.1), cuts, f));
    desk
}

/// From equal length-scales, half of the labels were wrong.
#[test]
fn classes_that_depend_on_two_of_many_inputs_are_learned() {
    let desk = desk((200, 30), &[-0.5, 0.5], |x, _| (3.0 * x[0]).sin() + 0.5 * x[1]);
    for method in ["ivm --inducing 70 --iterations 5", "ep", "svgp"] {
        let found = error(&desk, &format!("--method {method}"));
        assert!(found < 0.2, "{method}: {found}");
    }
}

#[test]
fn given_kernels_of_labels_keep_the_input_that_matters() {
    let desk = desk((60, 10), &[0.0], |x, _| (3.0 * x[0]).sin());
    for method in ["ep", "sep", "svgp"] {
        let found = error(&desk, &format!("--kernel \"1 * rbf(ard=true)\" --method {method}"));
        assert!(found < 0.15, "{method}: {found}");
    }
}

/// Moment-matched sites were worse than class frequencies.
#[test]
fn active_rows_represent_the_labels_of_five_noisy_classes() {
    let desk =
        desk(
            (300, 2),
            &[0.0, 0.7, 1.2, 1.8],
            |x, noise| {
                if noise > 1.3 { 4.0 * (noise - 1.3) } else { x[0] - x[1] }
            },
        );
    let [ivm, ep] = ["ivm --iterations 5", "ep"].map(|method| {
        let flags =
            format!("fit t.csv --target y --test new.csv --json --force --inducing 40 --method {method}");
        desk.ok(&flags).json()["test"]["scores"]["gp"]["log_loss"].as_f64().unwrap()
    });
    assert!(ivm < 1.3 * ep, "{ivm} {ep}");
}

#[test]
fn ep_under_gaussian_noise_is_pep_of_power_one() {
    let desk = Desk::new();
    let row = |i: usize| {
        let x = (0.618_034 * i as f64).fract() - 0.5;
        format!("{x},{}\n", x.signum() + 0.01 * (0.414_214 * i as f64).fract())
    };
    desk.write("t.csv", "x,y\n".to_owned() + &(0..300).map(row).collect::<String>());
    let fit = |method: &str| {
        let line = format!("fit t.csv --target y --inducing 30 --json --force --method {method}");
        desk.ok(&line).json()["objective"].as_f64().unwrap().to_bits()
    };
    for power in ["1", "0.7"] {
        assert_eq!(fit(&format!("ep --alpha {power}")), fit(&format!("pep --alpha {power}")));
    }
}
