/** What the pages of reports share: colours that can be read on light and on dark. */
export const theme = `
:root { color-scheme: light dark; --page: #fff; --text: #1c1c1f; --link: #0b57d0; --dim: #5f6368; --good: #1e6b34; --bad: #b3261e; --mild: #7a5200; --odd: #7a3e9d; }
@media (prefers-color-scheme: dark) {
  :root { --page: #16181c; --text: #e8e8ea; --link: #8ab4f8; --dim: #a8adb3; --good: #6fcf8b; --bad: #ff8a80; --mild: #e3b04b; --odd: #d0a2f0; }
}
body { background: var(--page); color: var(--text); } a { color: var(--link); }
`
