#![expect(clippy::unwrap_used, reason = "helpers of tests")]
//! Text of arguments, in both directions; unknown arguments.

use gp_optim::text::{Arguments, Reader, Token, value_text};
use gp_optim::{Parameter, Transform};

fn read(text: &str) -> Parameter {
    let numbers = Reader::new(text).unwrap().numbers().unwrap();
    numbers.into_parameter("scale", Transform::Positive).unwrap()
}

#[test]
fn values_read_back_as_they_were_written() {
    for text in [
        "0.30000000000000004",
        "fixed(1e-300)",
        "2 in [0.1, none]",
        "2 in [0, 3] ~ gamma(2, 1)",
        "[0.5, fixed(2)] in [0.1, 10] ~ log_normal(0, 1)",
        "[1]",
        "[0.5 in [0.1, 2] ~ gamma(2, 1), fixed(2), 3 in [1, none]]",
    ] {
        assert_eq!(value_text(&read(text)), text);
    }
}

#[test]
fn values_outside_the_set_are_refused() {
    for text in ["-1", "[1, 0]", "2 in [3, 4]", "2 in [-1, 3]", "2 ~ uniform(3, 4)"] {
        let numbers = Reader::new(text).unwrap().numbers().unwrap();
        assert!(numbers.into_parameter("scale", Transform::Positive).is_err(), "{text}");
    }
}

#[test]
fn arguments_are_used_up() {
    let mut reader = Reader::new("scale=2, order=3, dims=[0, 2] rest").unwrap();
    let mut arguments = Arguments::new("call", 1);
    while reader.named_argument(&mut arguments).unwrap() {
        reader.take_symbol(',');
    }
    assert_eq!(*reader.peek(), Token::Name("rest".to_owned()));
    assert_eq!(arguments.parameter(&Parameter::positive("scale")).unwrap().value(), 2.0);
    assert_eq!(arguments.whole_number("order", 1), Ok(3));
    assert_eq!(arguments.whole_number("degree", 7), Ok(7));
    let stray = arguments.finish().unwrap_err();
    assert_eq!(stray.column, 19);
    assert_eq!(stray.message, "`call` has no argument `dims`; there are: scale, order, degree");
    let mut again = Reader::new("scael=2").unwrap();
    let mut near = Arguments::new("call", 1);
    again.named_argument(&mut near).unwrap();
    near.parameter(&Parameter::positive("scale")).unwrap();
    assert!(near.finish().unwrap_err().message.ends_with("there are: scale; did you mean `scale`?"));
    let mut other = Reader::new("Scale=2 IN [1, None]").unwrap();
    let mut in_any_case = Arguments::new("call", 1);
    other.named_argument(&mut in_any_case).unwrap();
    assert_eq!(in_any_case.parameter(&Parameter::positive("scale")).unwrap().value(), 2.0);
    assert_eq!(in_any_case.finish(), Ok(()));
    assert_eq!(arguments.whole_numbers("dims", "columns"), Ok(Some(vec![0, 2])));
    assert_eq!(arguments.finish(), Ok(()));
}
