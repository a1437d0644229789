//! Prints kernels as expressions.

use gp_optim::Parameter;
use gp_optim::text::value_text;

use super::form::{Form, KernelSetting};
use crate::kernel::Kernel;

type Value<'a> = &'a dyn Fn(&Parameter) -> String;

pub(crate) fn print<K: Kernel + ?Sized>(kernel: &K) -> String {
    print_with(kernel, &value_text)
}

pub(crate) fn print_with<K: Kernel + ?Sized>(kernel: &K, value: Value<'_>) -> String {
    match kernel.form() {
        Form::Call => print_call(kernel, &[], value),
        Form::Sum => join(kernel, " + ", value, |child| child == Form::Sum),
        Form::Product => {
            join(kernel, " * ", value, |child| matches!(child, Form::Sum | Form::Product | Form::Scale))
        }
        Form::Scale => {
            let factor = kernel.parameters().first().map(value).unwrap_or_default();
            format!(
                "{factor} * {}",
                join(kernel, " * ", value, |child| matches!(child, Form::Sum | Form::Scale))
            )
        }
        Form::Dims => print_dims(kernel, value),
    }
}

fn join<K: Kernel + ?Sized>(
    kernel: &K,
    between: &str,
    value: Value<'_>,
    enclose: fn(Form) -> bool,
) -> String {
    let print_child = |child: &dyn Kernel| {
        let text = print_with(child, value);
        if enclose(child.form()) { format!("({text})") } else { text }
    };
    kernel.children().iter().map(|child| print_child(child.as_ref())).collect::<Vec<_>>().join(between)
}

fn print_dims<K: Kernel + ?Sized>(kernel: &K, value: Value<'_>) -> String {
    let settings = kernel.settings();
    match kernel.children() {
        [child] if child.form() == Form::Call && child.children().is_empty() => {
            print_call(child.as_ref(), &settings, value)
        }
        children => {
            let inner: Vec<String> = children.iter().map(|child| print_with(child.as_ref(), value)).collect();
            let settings: Vec<String> = settings.iter().map(KernelSetting::print).collect();
            format!("select({}, {})", inner.join(", "), settings.join(", "))
        }
    }
}

fn print_call<K: Kernel + ?Sized>(kernel: &K, added: &[KernelSetting], value: Value<'_>) -> String {
    let children = kernel.children().iter().map(|child| print_with(child.as_ref(), value));
    let settings = kernel.settings();
    let parameters = kernel.parameters().iter().map(|p| format!("{}={}", p.name(), value(p)));
    let settings = settings.iter().chain(added).map(KernelSetting::print);
    let arguments: Vec<String> = children.chain(parameters).chain(settings).collect();
    format!("{}({})", kernel.name(), arguments.join(", "))
}
