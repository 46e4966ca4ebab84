//! Tokens, and what each of those that are in force stands for.

use std::sync::{Arc, PoisonError, RwLock};

use subtle::ConstantTimeEq;

/// A random word that opens an address. It prints as `…`, never as itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// 128 random bits, as hexadecimal digits.
    ///
    /// # Errors
    /// The system has no randomness to give.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0u8; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{:032x}", u128::from_be_bytes(bytes))))
    }

    /// A token of the user's own: at least 16 characters that need no escape in a URL.
    pub fn new(text: &str) -> Option<Self> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
        (text.len() >= 16 && text.bytes().all(plain)).then(|| Self(text.to_owned()))
    }

    /// Compared in a time that tells nothing about where the difference is.
    pub fn matches(&self, other: &str) -> bool {
        self.0.as_bytes().ct_eq(other.as_bytes()).into()
    }

    /// The word itself, for the address that is handed to the session.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The tokens that are in force.
#[derive(Debug)]
pub struct Tokens<T>(RwLock<Vec<(Token, Arc<T>)>>);

impl<T> Tokens<T> {
    pub fn new(token: Token, meaning: T) -> Self {
        Self(RwLock::new(vec![(token, Arc::new(meaning))]))
    }

    pub fn grant(&self, token: Token, meaning: T) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push((token, Arc::new(meaning)));
    }

    /// From now on the token is nobody's. What it has let in goes on.
    pub fn revoke(&self, token: &Token) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| known != token);
    }

    /// What a word that claims to be a token stands for. Each is compared in constant time.
    pub fn of(&self, word: &str) -> Option<Arc<T>> {
        let tokens = self.0.read().unwrap_or_else(PoisonError::into_inner);
        tokens.iter().find(|(token, _)| token.matches(word)).map(|(_, meaning)| Arc::clone(meaning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    #[test]
    fn a_token_does_not_print() {
        assert_eq!(format!("{:?}", Token::new(TOKEN)), "Some(Token(…))");
        assert_ne!(Token::random().unwrap(), Token::random().unwrap());
        assert_eq!(Token::new("short"), None);
        assert_eq!(Token::new("0123456789abcdef/../"), None);
    }

    #[test]
    fn a_token_stands_for_something_until_it_is_revoked() {
        let token = |text: &str| Token::new(text).unwrap();
        let tokens = Tokens::new(token(TOKEN), "main");
        tokens.grant(token("fedcba9876543210"), "child");
        assert_eq!(tokens.of("fedcba9876543210").as_deref(), Some(&"child"));
        tokens.revoke(&token("fedcba9876543210"));
        assert_eq!(tokens.of("fedcba9876543210"), None);
        assert_eq!(tokens.of(TOKEN).as_deref(), Some(&"main"));
        assert_eq!(tokens.of(""), None);
    }
}
