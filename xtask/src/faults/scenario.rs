//! Commands to disturb.

#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) words: &'static str,
    /// Output file; None if printed.
    pub(super) output: Option<&'static str>,
    /// `true` if the command reads its output.
    pub(super) in_place: bool,
    /// `true` for resumable training.
    pub(super) checkpoint: bool,
}

pub(super) const STATE: &str = "state";

impl Scenario {
    const fn new(name: &'static str, words: &'static str, output: Option<&'static str>) -> Self {
        Self { name, words, output, in_place: false, checkpoint: false }
    }

    const fn with_checkpoint(self) -> Self {
        Self { checkpoint: true, ..self }
    }

    const fn in_place(self) -> Self {
        Self { in_place: true, ..self }
    }

    pub(super) fn takes_force(&self) -> bool {
        self.output.is_some()
    }
}

const FIT: &str = "fit t.csv --target y --method sep --inducing 8 --batch-size 20 --epochs 12 -o out.gp";
const STREAMED: &str =
    "fit t.csv --target y --method sep --inducing 8 --batch-size 20 --epochs 12 -o out.gp --stream always";
const CV: &str = "cv t.csv --target y --folds 3 --method sep --inducing 6 --batch-size 20 --epochs 6";

pub(super) const ALL: &[Scenario] = &[
    Scenario::new("fit", FIT, Some("out.gp")),
    Scenario::new("streamed fit", STREAMED, Some("out.gp")),
    Scenario::new("fit with a checkpoint", FIT, Some("out.gp")).with_checkpoint(),
    Scenario::new("streamed fit with a checkpoint", STREAMED, Some("out.gp")).with_checkpoint(),
    Scenario::new("predict", "predict model.gp new.csv -o out.csv", Some("out.csv")),
    Scenario::new("predict to Parquet", "predict model.gp new.csv -o out.parquet", Some("out.parquet")),
    Scenario::new("predict to the standard output", "predict model.gp new.csv", None),
    Scenario::new("update", "update exact.gp more.csv -o out.gp", Some("out.gp")),
    Scenario::new("update in place", "update exact.gp more.csv -o exact.gp", Some("exact.gp")).in_place(),
    Scenario::new("cv", CV, None),
    Scenario::new("cv with a checkpoint", CV, None).with_checkpoint(),
];

/// Models for scenarios, and their commands.
pub(super) const MODELS: [(&str, &str); 2] = [
    ("model.gp", "fit t.csv --target y --method sep --inducing 8 --batch-size 20 --epochs 2 -o model.gp"),
    ("exact.gp", "fit t.csv --target y --method exact --parameters known -o exact.gp"),
];

pub(super) fn tables() -> Vec<(&'static str, String)> {
    let wave = |i: usize| {
        let (a, b) = (((i * 17) % 41) as f64 / 20.0 - 1.0, ((i * 29) % 37) as f64 / 18.0 - 1.0);
        format!("{a},{b},{}\n", (3.0 * a).sin() + b * b)
    };
    let table = |rows: std::ops::Range<usize>| "a,b,y\n".to_owned() + &rows.map(wave).collect::<String>();
    vec![("t.csv", table(0..240)), ("more.csv", table(300..330)), ("new.csv", table(0..3_000))]
}
