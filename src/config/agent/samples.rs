//! The agents that a person can begin with: `assets/agents/`, embedded.

use std::path::Path;

use super::{Agent, parse};

const FILES: [(&str, &str); 4] = [
    ("documenter.md", include_str!("../../../assets/agents/documenter.md")),
    ("investigator.md", include_str!("../../../assets/agents/investigator.md")),
    ("reviewer.md", include_str!("../../../assets/agents/reviewer.md")),
    ("test-writer.md", include_str!("../../../assets/agents/test-writer.md")),
];

/// All samples, in the order of their names. None is bound to a route: the person chooses.
pub fn samples() -> Vec<Agent> {
    FILES.iter().filter_map(|(file, text)| parse(Path::new(file), text.as_bytes()).0).collect()
}

/// A sample's file, as it is.
pub fn sample_text(name: &str) -> Option<&'static str> {
    let file = format!("{name}.md");
    FILES.iter().find(|(sample, _)| *sample == file).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::super::Model;
    use super::*;

    #[test]
    fn every_sample_reads_without_a_problem_and_names_its_tools() {
        for (file, text) in FILES {
            let (agent, problems) = parse(Path::new(file), text.as_bytes());
            assert_eq!(problems, [], "{file}");
            let agent = agent.unwrap();
            assert_eq!(format!("{}.md", agent.name), file);
            assert!(agent.tools.is_some_and(|tools| !tools.is_empty()) && agent.model == Model::Inherit);
        }
        assert_eq!(samples().len(), FILES.len());
    }
}
