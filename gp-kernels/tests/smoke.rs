use gp_kernels::*;
use faer::Mat;
#[test]
fn smoke() {
    for entry in Registry::built_in().entries() {
        if entry.name()=="select" {continue}
        let k = parse(entry.name()).unwrap();
        let e = k.expression();
        assert_eq!(parse(&e).unwrap().expression(), e);
        let x = Mat::from_fn(5, 1, |i, _| (i % 2) as f64);
        println!("{e}\n{:?}", gram(k.as_ref(), x.as_ref()).unwrap());
    }
    for t in ["1.3 * rbf(lengthscale=[0.5, 2]) + linear(dims=[0]) * periodic(period=1)", "rbf(lengthscale=fixed(2) in [0.1, 10] ~ gamma(2, 1))", "select(rbf + white, dims=[1])", "(rbf + white) * 2", "rbf(", "2", "rbf(lengthscale=-1)", "rbf(foo=2)", "foo", "rbf(lengthscale=[1,2]", "rbf)", "polynomial(degree=99)", "rbf(ard=true)"] {
        match parse(t) { Ok(k) => println!("{t} -> {} {:?}", k.expression(), k.parameter_names()), Err(e) => println!("{e}") }
    }
}
