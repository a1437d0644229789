//! Message counts: cost model compared with the command's report.

use super::support::{Tables, stderr};
use gp_ep::operations::{Extents, SharedWork};

const ROWS: usize = 600;
const BATCH: usize = 300;
const INDUCING: usize = 10;

/// Messages and bytes of a fit by three processes.
fn sent(tables: &Tables, epochs: &str) -> [usize; 2] {
    let inducing = INDUCING.to_string();
    let (batch, kernel) = (BATCH.to_string(), "1.0 * rbf(lengthscale=[1.0, 1.0])");
    let words =
        ["fit", "labels.csv", "--target", "y", "--method", "sep", "--sites", "tied", "--epochs", epochs];
    let sizes = ["--batch-size", &batch, "--inducing", &inducing, "--kernel", kernel];
    let told = ["--likelihood", "bernoulli_probit", "--output", "m.gp", "--force", "--json"];
    let fitted = tables.run(3, &[&words[..], &sizes, &told].concat());
    assert!(fitted.status.success(), "{}", stderr(&fitted));
    let told: serde_json::Value = serde_json::from_slice(&fitted.stdout).unwrap();
    ["messages", "bytes_sent"].map(|name| usize::try_from(told["processes"][name].as_u64().unwrap()).unwrap())
}

/// Besides the counted messages, process 0 sends single numbers that tell the other processes whether to
/// continue.
#[test]
fn an_epoch_more_sends_what_the_model_counts() {
    let tables = Tables::new();
    let [two, three] = ["2", "3"].map(|epochs| sent(&tables, epochs));
    let (messages, bytes) = (three[0] - two[0], three[1] - two[1]);
    let sizes = Extents { rows: BATCH, inducing: INDUCING, dim: 2, latents: 1, processes: 1 };
    let model = SharedWork::step(&sizes, [3, 0]).messages(3).times(ROWS / BATCH);
    assert!(messages > model.count && (messages - model.count).is_multiple_of(2), "{messages} {model:?}");
    assert_eq!(bytes - model.bytes, 8 * (messages - model.count));
}
