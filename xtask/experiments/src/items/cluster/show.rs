//! Report: check of the model, networks, predictions for many nodes.

use super::check::Check;
use super::network::{NETWORKS, USUAL};
use super::nodes::{NODES, crossover, efficiencies, seconds, worth};
use super::plan::{CORES, Dealing, Functions, Plan};
use crate::harness::Results;
use crate::report::Block;
use gp_cli::picture::{CLASSES, INK, Layer, Picture};
use gp_ep::operations::Machine;

const ROWS: [f64; 2] = [1e7, 1e9];
const BATCHES: [f64; 4] = [1e3, 1e4, 1e5, 1e6];
/// Full passes assumed equal to an epoch.
const WORTH_AN_EPOCH: f64 = 10.0;
const SHOWN: [usize; 5] = [4, 16, 64, 256, 1024];

/// Node with rates at this M.
struct Node {
    inducing: usize,
    machine: Machine,
}

/// Nodes with the rates of case `step`.
fn nodes(checks: &[Check]) -> Vec<Node> {
    let steps = checks.iter().filter(|check| check.name == "step");
    let node = |check: &Check| Node {
        inducing: check.sizes.inducing,
        machine: Machine { threads: CORES, ..check.machine },
    };
    steps.map(node).collect()
}

pub(super) fn blocks(results: &Results) -> Vec<Block> {
    let checks = Check::all(results);
    let nodes = nodes(&checks);
    let mut blocks =
        vec![Block::text("Predicted and measured milliseconds of one and two processes:"), check(&checks)];
    blocks.extend([Block::text("Messages of two processes per evaluation:"), traffic(&checks)]);
    blocks.extend([Block::text("Networks with published constants, from worst to best:"), networks()]);
    blocks.extend([
        Block::text(format!(
            "Efficiency of steps over all rows, from the worst network to the best. `worth` is the largest number of nodes \
             with an efficiency of at least 0.5 over {}. `dealt` is the rule for lanes: `now` as in the code, `enough` one \
             per core, with at least 96 rows each.",
            NETWORKS[USUAL].name
        )),
        whole(&nodes),
    ]);
    blocks.extend(picture_of_passes(&nodes));
    blocks.extend([
        Block::text(format!(
            "Mini-batches over {}: seconds of an epoch of 10⁹ rows. `crossover` is the least number of nodes at which an \
             epoch takes as long as {WORTH_AN_EPOCH} passes over all rows. If so many passes are as good as an epoch, \
             batches are not faster from there on.",
            NETWORKS[USUAL].name
        )),
        batches(&nodes),
    ]);
    blocks.extend(picture_of_batches(&nodes));
    blocks
}

fn check(checks: &[Check]) -> Block {
    let row = |check: &Check| {
        let [one, two] = [1, 2].map(|processes| check.predicted(processes).total());
        let [measured_one, measured_two] = check.measured;
        vec![
            check.name.to_owned(),
            sizes(check),
            format!("{:.1}", check.machine.rate / 1e9),
            milliseconds(check.predicted(1).algebra),
            milliseconds(one),
            milliseconds(measured_one),
            format!("{:.2}", one / measured_one),
            milliseconds(two),
            milliseconds(measured_two),
            format!("{:.2}", two / measured_two),
            milliseconds(check.on_clock),
        ]
    };
    Block::table(
        [
            "work",
            "sizes",
            "rate, GF/s",
            "algebra, ms",
            "one: predicted",
            "measured",
            "ratio",
            "two: predicted",
            "measured",
            "ratio",
            "wall clock",
        ],
        checks.iter().map(row).collect(),
    )
}

fn traffic(checks: &[Check]) -> Block {
    let row = |check: &Check| {
        let told = check.work.messages(2);
        vec![
            check.name.to_owned(),
            sizes(check),
            format!("{} and {}", told.count, check.sent[0]),
            format!("{} and {}", told.bytes, check.sent[1]),
            format!("{:.1}", 1e6 * check.machine.latency),
            format!("{:.2}", check.machine.bandwidth / 1e9),
            milliseconds(check.predicted(2).messages),
            milliseconds(check.of_messages),
        ]
    };
    Block::table(
        [
            "work",
            "sizes",
            "messages, counted and sent",
            "bytes, counted and sent",
            "latency, µs",
            "bandwidth, GB/s",
            "ms predicted",
            "ms in messages, including waiting",
        ],
        checks.iter().map(row).collect(),
    )
}

fn networks() -> Block {
    let range = |[from, to]: [f64; 2], unit: f64| format!("{} to {}", short(from / unit), short(to / unit));
    let row = |network: &super::network::Network| {
        vec![network.name.to_owned(), range(network.latency, 1e-6), range(network.bandwidth, 1e9)]
    };
    Block::table(["network", "latency, µs", "bandwidth, GB/s"], NETWORKS.iter().map(row).collect())
}

fn plans<'a>(nodes: &'a [Node], rows: &'a [f64]) -> impl Iterator<Item = (Plan, &'a Machine)> {
    nodes.iter().flat_map(move |node| {
        let of_rows = move |rows: &f64| Functions::ALL.map(|functions| (*rows, functions));
        rows.iter().flat_map(of_rows).flat_map(move |(rows, functions)| {
            [Dealing::AsNow, Dealing::Enough]
                .map(|dealing| (Plan { rows, inducing: node.inducing, functions, dealing }, &node.machine))
        })
    })
}

fn names(plan: &Plan, letter: &str) -> Vec<String> {
    vec![
        format!("{letter} = {}", power(plan.rows)),
        plan.inducing.to_string(),
        plan.functions.name().to_owned(),
        if plan.dealing == Dealing::AsNow { "now" } else { "enough" }.to_owned(),
        plan.work(1).lanes.to_string(),
    ]
}

fn whole(nodes: &[Node]) -> Block {
    let row = |(plan, node): (Plan, &Machine)| {
        let mut row = names(&plan, "N");
        row.push(short(seconds(&plan, 1, node)));
        let range = |count: usize| {
            let [worst, _, best] = efficiencies(&plan, count, node).map(|share| format!("{share:.2}"));
            if worst == best { worst } else { format!("{worst} to {best}") }
        };
        row.extend(SHOWN.map(range));
        row.push(worth(&plan, node).to_string());
        row
    };
    let [a, b, c, d, e] = SHOWN.map(|count| format!("{count} nodes"));
    Block::table(
        ["rows", "M", "C", "dealt", "lanes", "s, 1 node", &a, &b, &c, &d, &e, "worth"],
        plans(nodes, &ROWS).map(row).collect(),
    )
}

fn batches(nodes: &[Node]) -> Block {
    let row = |(batch, node): (Plan, &Machine)| {
        let whole = Plan { rows: ROWS[1], ..batch };
        let epoch = |count| whole.rows / batch.rows * seconds(&batch, count, node);
        let mut row = names(&batch, "B");
        row.extend([1, 16, 256].map(|count| short(epoch(count))));
        row.push(worth(&batch, node).to_string());
        let crossover = crossover(&batch, &whole, WORTH_AN_EPOCH, node);
        row.push(crossover.map_or_else(|| "–".to_owned(), |nodes| nodes.to_string()));
        row
    };
    Block::table(
        ["batch", "M", "C", "dealt", "lanes", "s, 1 node", "16 nodes", "256 nodes", "worth", "crossover"],
        plans(nodes, &BATCHES).map(row).collect(),
    )
}

fn picture_of_passes(nodes: &[Node]) -> Option<Block> {
    let panel = |rows: f64, dealing: Dealing| {
        let mut layers = vec![Layer::Reach { x: vec![0.0], y: vec![0.0, 1.0] }];
        for (k, node) in nodes.iter().enumerate() {
            for (f, functions) in [Functions::ALL[0], Functions::ALL[2]].into_iter().enumerate() {
                let plan = Plan { rows, inducing: node.inducing, functions, dealing };
                let of = |count: &usize| efficiencies(&plan, *count, &node.machine)[1];
                let label = format!("M = {}, C = {}", node.inducing, functions.latents);
                layers.push(by_nodes(of, CLASSES[2 * k + f], &label));
            }
        }
        let title = format!("N = {}, {}", power(rows), dealt(dealing));
        panel_of(title, "efficiency", layers)
    };
    let panels =
        ROWS.iter().flat_map(|rows| [Dealing::AsNow, Dealing::Enough].map(|dealing| panel(*rows, dealing)));
    figure("cluster-passes", "steps over all rows", panels.collect(), nodes)
}

fn picture_of_batches(nodes: &[Node]) -> Option<Block> {
    let panel = |node: &Node, dealing: Dealing| {
        let plan = |rows| Plan { rows, inducing: node.inducing, functions: Functions::ALL[0], dealing };
        let epoch = |rows: f64| {
            move |count: &usize| (ROWS[1] / rows * seconds(&plan(rows), *count, &node.machine)).log10()
        };
        let lines = BATCHES.iter().zip(CLASSES);
        let mut layers: Vec<Layer> = lines
            .map(|(rows, colour)| by_nodes(epoch(*rows), colour, &format!("B = {}", power(*rows))))
            .collect();
        layers.push(by_nodes(epoch(ROWS[1]), INK, "all rows"));
        panel_of(format!("M = {}, {}", node.inducing, dealt(dealing)), "log10 of seconds of an epoch", layers)
    };
    let panels =
        nodes.iter().flat_map(|node| [Dealing::AsNow, Dealing::Enough].map(|dealing| panel(node, dealing)));
    figure("cluster-batches", "mini-batches of 10⁹ rows, C = 1", panels.collect(), nodes)
}

fn by_nodes(of: impl Fn(&usize) -> f64, colour: gp_cli::picture::Colour, label: &str) -> Layer {
    let (x, y) = NODES.iter().map(|nodes| ((*nodes as f64).log2(), of(nodes))).unzip();
    Layer::Line { x, y, colour, label: label.to_owned() }
}

fn panel_of(title: String, y_name: &str, layers: Vec<Layer>) -> Picture {
    let (x_name, y_name) = ("log2 of nodes".to_owned(), y_name.to_owned());
    Picture { title, x_name, y_name, layers, ..Picture::default() }
}

fn figure(file: &str, title: &str, mut panels: Vec<Picture>, nodes: &[Node]) -> Option<Block> {
    for layer in panels.iter_mut().skip(1).flat_map(|panel| &mut panel.layers) {
        layer.forget_label();
    }
    let title = format!("{title}, over {}", NETWORKS[USUAL].name);
    let picture = Picture { title, panels, ..Picture::default() };
    (!nodes.is_empty()).then(|| Block::Figure(file.to_owned(), Box::new(picture)))
}

fn dealt(dealing: Dealing) -> &'static str {
    match dealing {
        Dealing::AsNow => "lanes as now",
        Dealing::Enough => "enough lanes",
    }
}

fn sizes(check: &Check) -> String {
    let sizes = &check.sizes;
    format!("B = {}, M = {}, C = {}", sizes.batch, sizes.inducing, sizes.classes)
}

fn milliseconds(seconds: f64) -> String {
    short(1e3 * seconds)
}

fn short(value: f64) -> String {
    let digits = (2.0 - value.abs().max(1e-9).log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{value:.digits$}")
}

fn power(value: f64) -> String {
    let digits = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(value.log10().round() as usize);
    digits.map_or_else(|| value.to_string(), |digit| format!("10{digit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([1234.0, 12.34, 0.012_345].map(short), ["1234", "12.3", "0.0123"]);
        assert_eq!([1e3, 1e9].map(power), ["10³", "10⁹"]);
    }
}
