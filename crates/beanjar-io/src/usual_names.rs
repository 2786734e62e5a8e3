//! What columns are for, by their names, where they have none of the roles of a judgment.

/// Whether a column is for what people wish to add in words of their own: `comment`, `Any comments?`, `reason`.
pub(crate) fn is_remark(name: &str) -> bool {
    let name = simplified(name);
    let stems =
        ["comment", "remark", "note", "feedback", "suggestion", "explanation", "rationale", "justification", "reason"];
    let before = ["", "any", "other", "your", "further", "additional", "worker", "annotator", "rater", "free"];
    stems.into_iter().any(|stem| {
        let rest = name.strip_suffix('s').unwrap_or(&name).strip_suffix(stem);
        rest.is_some_and(|rest| before.contains(&rest))
    })
}

/// Whether a column is about a judgment, and is neither what was judged nor what was said: when, how long, how sure, at what price.
pub(crate) fn is_beside(name: &str) -> bool {
    let plain = simplified(name);
    let words: Vec<String> = name.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    let known = [
        "time",
        "timestamp",
        "date",
        "datetime",
        "seconds",
        "minutes",
        "duration",
        "latency",
        "confidence",
        "certainty",
        "probability",
        "cost",
        "price",
        "reward",
        "tokens",
        "gold",
        "truth",
        "weight",
        "index",
        "row",
        "round",
        "batch",
        "status",
        "createdat",
        "updatedat",
        "split",
        "fold",
        "source",
        "language",
        "lang",
        "age",
        "gender",
    ];
    is_remark(name) || known.contains(&plain.as_str()) || words.iter().any(|word| known[..9].contains(&word.as_str()))
}

/// `sentence`, `tweet_id`, `file name`, `URL`: what people judge, where it has no other name.
pub(crate) fn is_thing(name: &str) -> bool {
    const THINGS: [&str; 28] = [
        "text",
        "sentence",
        "tweet",
        "comment",
        "post",
        "review",
        "claim",
        "url",
        "link",
        "file",
        "filename",
        "path",
        "title",
        "headline",
        "article",
        "passage",
        "paragraph",
        "message",
        "utterance",
        "dialogue",
        "abstract",
        "paper",
        "page",
        "patient",
        "case",
        "clip",
        "audio",
        "word",
    ];
    let plain = simplified(name);
    let stem = plain.strip_suffix("id").unwrap_or(&plain);
    THINGS.contains(&plain.as_str()) || THINGS.contains(&stem)
}

/// `email`, `Full name`, `session`: who judged, where it has no other name.
pub(crate) fn is_person(name: &str) -> bool {
    let known =
        ["email", "emailaddress", "name", "fullname", "nickname", "person", "login", "account", "session", "sessionid"];
    known.contains(&simplified(name).as_str())
}

/// Whether a column has no name of its own: spreadsheets leave such columns behind, and data frames their index.
pub(crate) fn is_nameless(name: &str) -> bool {
    name.is_empty() || name.starts_with("Unnamed: ") || name.starts_with("__index_level_")
}

/// `Worker_ID`, `workerId` and `worker id` are one name.
pub(crate) fn simplified(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_times_and_things_are_known_by_their_names() {
        for name in ["comment", "Any comments?", "worker_feedback", "Notes", "reason"] {
            assert!(is_remark(name) && is_beside(name), "{name}");
        }
        for name in ["commentary", "notable", "comment_id", "reasonable", "banknote"] {
            assert!(!is_remark(name), "{name}");
        }
        for name in ["time", "start_time", "Date", "seconds spent", "confidence", "created_at", "split"] {
            assert!(is_beside(name), "{name}");
        }
        for name in ["sentiment", "timely", "candidate", "resource"] {
            assert!(!is_beside(name), "{name}");
        }
        for name in ["Tweet_ID", "sentence", "file name", "comment_id", "URL"] {
            assert!(is_thing(name), "{name}");
        }
        assert!(!is_thing("sentiment") && is_person("Full name") && !is_person("file name"));
    }
}
