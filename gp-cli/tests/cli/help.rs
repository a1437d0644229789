//! Short and long help; suggested names.

use crate::support::{Desk, circle, sine};

#[test]
fn help_is_short_or_whole() {
    let desk = Desk::new();
    for command in ["fit", "cv", "diagnose"] {
        let (short, long) =
            (desk.ok(&format!("{command} -h")).out, desk.ok(&format!("{command} --help")).out);
        assert!(short.lines().count() < 45, "{short}");
        assert!(
            short.contains("--target") && short.contains(&format!("`gp {command} --help` has all of them"))
        );
        assert!(!short.contains("--checkpoint") && !short.contains("--alpha") && !short.contains("Examples"));
        assert!(long.starts_with(&format!("Examples:\n  gp {command} ")), "{long}");
        let places = ["\nData:\n", "\nModel:\n", "\nTraining:\n", "\nOutput:\n", "\nSettings of methods"]
            .map(|heading| long.find(heading).unwrap_or_else(|| panic!("no {heading:?} in {long}")));
        assert!(places.is_sorted(), "{places:?} in {long}");
        let listed = |flag: &str| long.contains(&format!("--{flag} "));
        assert!(
            listed("missing-in") && listed("query") && listed("alpha") && long.contains("Kernels are sums")
        );
    }
    for command in ["predict", "eval", "report", "plot", "check", "update"] {
        let long = desk.ok(&format!("{command} --help")).out;
        assert!(long.starts_with("Examples:\n") && long.contains("\nData:\n"), "{long}");
    }
}

#[test]
fn kernels_name_columns() {
    let desk = Desk::new();
    desk.write("t.csv", circle(40));
    let fit = |kernel: &str| {
        let words = ["fit", "t.csv", "--target", "y", "--no-train", "--force", "--kernel", kernel];
        let said = crate::support::Said::of(&desk.command(&words).output().unwrap());
        (said.code, said.err, desk.gp("convert model.gp --to json").out)
    };
    let posterior = |(code, err, json): (i32, String, String)| {
        assert_eq!(code, 0, "{err}");
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["posterior"].clone()
    };
    let numbers = posterior(fit("rbf(dims=[1]) + linear(dims=[2, 3, 4]) + rbf(dims=[0, 4])"));
    let names = posterior(fit("rbf(dims=[b]) + linear(dims=[kind]) + se(dims=[\"a\", kind=red])"));
    assert_eq!(numbers, names);
    assert!(numbers.to_string().contains("dims=[2, 3, 4]"), "{numbers}");
    let (code, err, _) = fit("rbf(dims=[kid])");
    assert!(code == 2 && err.contains("no input `kid`") && err.contains("did you mean `kind`?"), "{err}");
    let wide = fit("rbf(dims=[b, 7])");
    assert!(wide.0 == 2 && wide.1.contains("column 7"), "{}", wide.1);
}

#[test]
fn likelihoods_have_other_names() {
    let desk = Desk::new();
    desk.write("t.csv", circle(40));
    let fit = |likelihood: &str| {
        desk.ok(&format!("fit t.csv --target y --no-train --force --quiet --json --likelihood {likelihood}"))
            .json()["likelihood"]
            .clone()
    };
    assert_eq!(fit("probit"), "bernoulli_probit");
    assert_eq!(fit("logistic"), "bernoulli_logit");
    assert_eq!(fit("Bernoulli_Probit"), "bernoulli_probit");
    let both = "fit t.csv --target y --force --likelihood multiclass";
    desk.refused(both, 2, &["--likelihood", "`multiclass` may be softmax, robust_max or multiclass_probit"]);
    let two =
        desk.ok("fit t.csv --target a,b --likelihood Gaussians --no-train --force --json --quiet").json();
    assert!(two["likelihood"].as_str().unwrap().starts_with("gaussians("), "{two}");
    desk.write("s.csv", sine(30));
    let json = desk
        .ok("fit s.csv --target y --likelihood \"student(dof=fixed(4))\" --no-train --json -o s.gp --quiet")
        .json();
    assert!(json["likelihood"].as_str().unwrap().starts_with("student_t("), "{json}");
    desk.refused("fit s.csv --target y -o p.gp --likelihood poison", 2, &["did you mean `poisson`?"]);
}

#[test]
fn kernels_have_other_names() {
    let desk = Desk::new();
    desk.write("s.csv", sine(30));
    let fit = |kernel: &str| {
        let line = format!(
            "fit s.csv --target y --iterations 1 --force --quiet --method Exact --task Regression --kernel \"{kernel}\""
        );
        desk.ok(&line);
        desk.ok("inspect model.gp --json").json()["latents"][0]["kernel"].as_str().unwrap().to_owned()
    };
    assert!(fit("RBF(ard=True) + Bias").starts_with("rbf(lengthscale=["), "{}", fit("RBF(ard=True)"));
    assert!(fit("squared_exponential(lengthscale=2 ~ exponential(1))").contains("~ exponential("));
    assert!(fit("arccos(bias=2)").contains("arccos(lengthscale="));
    assert!(fit("Matern_52 * ExpSineSquared").starts_with("matern52("));
    let vague = "fit s.csv --target y --force --kernel matern";
    desk.refused(vague, 2, &["--kernel", "`matern` may be matern12, matern32 or matern52"]);
    let kernels = desk.ok("generate kernels").out;
    assert!(kernels.contains("    also: se, sq_exp, squared_exponential, "), "{kernels}");
    assert!(desk.ok("generate likelihoods").out.contains("    also: probit, bernoulli\n"));
}

#[test]
fn examples_of_kernels_can_be_read() {
    let desk = Desk::new();
    let examples = |what: &str| -> Vec<String> {
        let text = desk.ok(&format!("generate {what}")).out;
        let blocks = text.split("\n\n").filter(|block| block.contains("\n    "));
        blocks.map(|block| block.lines().next().unwrap().to_owned()).collect()
    };
    let (kernels, likelihoods) = (gp_kernels::Registry::built_in(), gp_likelihoods::Registry::built_in());
    let (found, other) = (examples("kernels"), examples("likelihoods"));
    assert_eq!((found.len(), other.len()), (kernels.entries().len(), likelihoods.entries().len()));
    found.iter().for_each(|example| drop(kernels.parse(example).unwrap()));
    other.iter().for_each(|example| drop(likelihoods.parse(example).unwrap()));
}
