//! Nushell: an external completer, beside the one that is there already. It gets words and reads JSON.

use std::ffi::OsString;
use std::io::{Error, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine::complete;
use clap_complete::env::EnvCompleter;
use serde_json::{Value, json};

use super::registration;

pub(super) struct Nushell;

impl EnvCompleter for Nushell {
    fn name(&self) -> &'static str {
        "nushell"
    }

    fn is(&self, name: &str) -> bool {
        name == self.name()
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn Write,
    ) -> Result<(), Error> {
        buf.write_all(registration(SCRIPT, var, name, bin, completer).as_bytes())
    }

    fn write_complete(
        &self,
        cmd: &mut Command,
        args: Vec<OsString>,
        current_dir: Option<&Path>,
        buf: &mut dyn Write,
    ) -> Result<(), Error> {
        let at = args.len().saturating_sub(1);
        let candidates: Vec<Value> = complete(cmd, args, at, current_dir)?
            .iter()
            .map(|candidate| {
                let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
                let help = help.lines().next().unwrap_or_default().to_owned();
                json!({"value": candidate.get_value().to_string_lossy(), "description": help})
            })
            .collect();
        write!(buf, "{}", Value::Array(candidates))
    }
}

const SCRIPT: &str = r#"let NAME_before = $env.config?.completions?.external?.completer?
$env.config.completions.external.enable = true
$env.config.completions.external.completer = {|spans: list<string>|
    if ($spans.0 | path basename) == "BIN" {
        with-env { VARIABLE: "nushell" } { ^PROGRAM -- ...$spans | complete | get stdout | from json }
    } else if $NAME_before != null {
        do $NAME_before $spans
    }
}
"#;
