//! `keyring:`: the desktop's Secret Service. Only with the cargo feature `keyring`.
