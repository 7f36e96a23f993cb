//! Numbers with what they count, as people say them.

/// "1 message", "2 messages".
pub(crate) fn counted(count: impl Into<u64>, unit: &str) -> String {
    match count.into() {
        1 => format!("1 {unit}"),
        more => format!("{more} {unit}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_not_many() {
        assert_eq!(
            [0_u32, 1, 2].map(|count| counted(count, "message")),
            ["0 messages", "1 message", "2 messages"]
        );
    }
}
