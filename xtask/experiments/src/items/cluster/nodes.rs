//! Predicted times and efficiencies on many nodes.

use super::network::{NETWORKS, USUAL};
use super::plan::Plan;
use gp_ep::operations::Machine;

pub(super) const NODES: [usize; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// Minimum worthwhile efficiency.
const WORTH: f64 = 0.5;

/// Seconds per step, typical network.
pub(super) fn seconds(plan: &Plan, nodes: usize, node: &Machine) -> f64 {
    plan.work(nodes).seconds(nodes, &NETWORKS[USUAL].middle(node)).total()
}

/// Time of one node over the total; worst, typical and best network.
pub(super) fn efficiencies(plan: &Plan, nodes: usize, node: &Machine) -> [f64; 3] {
    let [slow, .., fast] = &NETWORKS;
    let networks = [slow.ends(node)[0], NETWORKS[USUAL].middle(node), fast.ends(node)[1]];
    let (alone, together) = (plan.work(1), plan.work(nodes));
    networks.map(|network| {
        alone.seconds(1, &network).total() / (nodes as f64 * together.seconds(nodes, &network).total())
    })
}

pub(super) fn worth(plan: &Plan, node: &Machine) -> usize {
    let is_worth = |nodes: &usize| efficiencies(plan, *nodes, node)[1] >= WORTH;
    NODES.into_iter().rev().find(is_worth).unwrap_or(1)
}

/// Least number of nodes at which an epoch takes `passes` full passes.
pub(super) fn crossover(batch: &Plan, whole: &Plan, passes: f64, node: &Machine) -> Option<usize> {
    let epoch = |nodes| whole.rows / batch.rows * seconds(batch, nodes, node);
    NODES.into_iter().find(|nodes| epoch(*nodes) >= passes * seconds(whole, *nodes, node))
}

#[cfg(test)]
mod tests {
    use super::super::plan::{CORES, Dealing, Functions};
    use super::*;

    const NODE: Machine =
        Machine { threads: CORES, rate: 3e10, rate_of_algebra: 1e10, latency: 0.0, bandwidth: 1.0 };

    fn plan(rows: f64, dealing: Dealing) -> Plan {
        Plan { rows, inducing: 200, functions: Functions::ALL[0], dealing }
    }

    #[test]
    fn one_node_is_its_own_measure_and_better_networks_are_not_worse() {
        for dealing in [Dealing::AsNow, Dealing::Enough] {
            let plan = plan(1e9, dealing);
            assert_eq!(efficiencies(&plan, 1, &NODE), [1.0; 3]);
            for nodes in NODES {
                let [worst, typical, best] = efficiencies(&plan, nodes, &NODE);
                assert!(0.0 < worst && worst <= typical && typical <= best && best < 1.01);
            }
        }
    }

    #[test]
    fn a_batch_of_sixteen_lanes_keeps_one_node_busy() {
        assert_eq!(worth(&plan(1e4, Dealing::AsNow), &NODE), 1);
        assert!(worth(&plan(1e6, Dealing::Enough), &NODE) > 1);
        let whole = plan(1e9, Dealing::AsNow);
        let crossover = crossover(&plan(1e5, Dealing::AsNow), &whole, 10.0, &NODE).unwrap();
        assert!(crossover > 1 && crossover < 64, "{crossover}");
    }
}
