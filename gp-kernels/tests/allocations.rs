//! No allocation after the first call.

#[path = "suite/common/mod.rs"]
mod common;

use common::table;
use faer::Mat;
use gp_kernels::inducing::{InducingInputs, InducingPrior, PriorGradients, SharedPoints, SparseProcess};
use gp_kernels::{CovarianceGradients, Evaluator, parameter_count, parse};
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{ParameterSet, ParameterSetMut};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn blocks(body: impl FnOnce()) -> u64 {
    let before = dhat::HeapStats::get().total_blocks;
    body();
    dhat::HeapStats::get().total_blocks - before
}

/// A single test: allocations of the whole process are counted.
#[test]
fn repeated_calls_allocate_nothing() {
    let _profiler = dhat::Profiler::builder().testing().build();
    assert!(blocks(|| drop(std::hint::black_box(vec![1.0; 10]))) > 0, "the counter counts");
    for (dim, text) in [
        (2, "1.3 * rbf(lengthscale=[0.5, 2]) + linear(dims=[0]) * periodic(period=1) + white"),
        (2, "select(matern32 * rq + arccos, dims=[1]) + polynomial * overlap + matern12 + cosine + constant"),
        (30, "matern52(lengthscale=5) * rbf(lengthscale=4)"),
    ] {
        let kernel = parse(text).unwrap();
        let (x, z) = (table(700, dim, 1), table(20, dim, 2));
        let by = Evaluator::new(Threading::Here);
        let inputs = InducingInputs::points(z.as_ref()).unwrap();
        let mut process = SparseProcess::new(kernel.clone(), inputs).unwrap();
        let kernel = kernel.as_ref();
        let policy = JitterPolicy::ladder();
        let mut prior = InducingPrior::new(&process, &policy, &by).unwrap();
        let (mut phi, mut bar) = (Mat::zeros(20, 700), Mat::zeros(20, 700));
        let (mut grads, mut points) = (PriorGradients::zeros(&process), SharedPoints::default());
        let mut at = vec![0.0; process.free_count()];
        let (mut params, mut gram) = (vec![0.0; parameter_count(kernel)], Mat::zeros(20, 20));
        let (mut rows, mut cols, residual) = (Mat::zeros(20, dim), Mat::zeros(700, dim), vec![0.1; 700]);
        let mut step = || {
            by.gram(kernel, z.as_ref(), gram.as_mut()).unwrap();
            by.gram_reverse(kernel, z.as_ref(), gram.as_ref(), &mut params, Some(rows.as_mut())).unwrap();
            by.cross(kernel, z.as_ref(), x.as_ref(), phi.as_mut()).unwrap();
            let to = CovarianceGradients {
                params: &mut params,
                rows: Some(rows.as_mut()),
                cols: Some(cols.as_mut()),
            };
            by.cross_reverse(kernel, z.as_ref(), x.as_ref(), phi.as_ref(), to).unwrap();
            process.write_free(&mut at).unwrap();
            at.iter_mut().for_each(|x| *x += 0.01);
            process.set_free(&at).unwrap();
            prior.refresh(&process, &policy, &by).unwrap();
            points.copy_from(x.as_ref());
            let recorded = [0, 1 << 20].map(|numbers| prior.project(&points, numbers, &by).unwrap());
            for projection in recorded {
                bar.copy_from(projection.phi());
                projection.reverse(bar.as_mut(), &residual, &mut grads, &by).unwrap();
            }
            prior.finish_reverse(&mut grads, &by).unwrap();
        };
        step();
        // In the second step a free buffer of another size may still have to grow.
        step();
        assert_eq!(blocks(&mut step), 0, "{text}");
    }
}
