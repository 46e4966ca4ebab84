//! What holds for any task and any candidates.

use proptest::prelude::*;

use super::super::*;

/// Any text, and words that mean something to the chooser.
fn text() -> impl Strategy<Value = String> {
    let said = "(Do not use for |<example>|</example>|user: |review|slow |tests|\\\\n|\\n|\\. |don't |MyTest|é|```json|[{}\":,]){0,12}";
    prop_oneof![any::<String>(), said]
}

fn some() -> impl Strategy<Value = Vec<Candidate>> {
    let candidate = (text(), text()).prop_map(|(name, description)| Candidate { name, description });
    prop::collection::vec(candidate, 1..8)
}

proptest! {
    #[test]
    fn the_order_of_the_candidates_decides_nothing(
        task in text(),
        (first, second) in some().prop_flat_map(|some| (Just(some.clone()), Just(some).prop_shuffle())),
    ) {
        let (first, second) = (Candidates::new(first).unwrap(), Candidates::new(second).unwrap());
        let (one, other) = (Ranking::new(&task, &first), Ranking::new(&task, &second));
        prop_assert_eq!(&one, &other);
        prop_assert_eq!(one.verdict(), other.verdict());
        prop_assert_eq!(question(&task, &first), question(&task, &second));
    }

    #[test]
    fn whoever_is_chosen_is_a_candidate_and_the_best(task in text(), some in some()) {
        let candidates = Candidates::new(some).unwrap();
        let ranking = Ranking::new(&task, &candidates);
        prop_assert_eq!(ranking.scores().len(), candidates.all().count());
        prop_assert!(ranking.scores().is_sorted_by(|one, other| one.score >= other.score));
        prop_assert!(ranking.scores().iter().all(|scored| scored.score.is_finite()));
        match ranking.verdict() {
            Verdict::Chosen { agent, .. } => prop_assert_eq!(&agent, &ranking.scores()[0].name),
            Verdict::Unsure(doubt) => prop_assert!(doubt.question(&candidates).lines().count() > 2),
        }
    }

    #[test]
    fn no_answer_chooses_a_stranger(answer in text(), name in text(), some in some()) {
        let candidates = Candidates::new(some).unwrap();
        let named = serde_json::json!({"agent": name, "reason": answer}).to_string();
        for answer in [&answer, &named] {
            if let Verdict::Chosen { agent, .. } = reading(answer, &candidates) {
                prop_assert!(candidates.named(&agent).is_some());
            }
        }
    }
}
