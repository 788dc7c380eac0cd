// One column, also at 320 pixels and at twice the size; every text with a contrast of 4.5 at least, every control with 3, by day and by night.
export const UNSUBSCRIBE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --paper: #f3f5f8; --sheet: #fff; --line: #d3dae3; --soft: #566170; --link: #1d4fc4; --on-link: #fff; --good: #14703a; --good-paper: #e3f4e8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf0; --paper: #14181e; --sheet: #1d232b; --line: #343d49; --soft: #a3aebc; --link: #93b4ff; --on-link: #0f1726; --good: #8fe0aa; --good-paper: #1d3527; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; padding: clamp(.75rem, 5vh, 4rem) clamp(.5rem, 3vw, 1.5rem); font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: anywhere; }
main { max-width: 34rem; margin: 0 auto; padding: clamp(1rem, 4vw, 2rem); background: var(--sheet); border: 1px solid var(--line); border-radius: .75rem; display: grid; gap: 1.25rem; }
h1 { font-size: clamp(1.3rem, 5vw, 1.65rem); line-height: 1.25; margin: 0; hyphens: auto; }
h2, legend { font-size: 1.05rem; font-weight: 600; margin: 0; padding: 0; }
p { margin: 0; }
.sender { margin-bottom: -1rem; color: var(--soft); } .sender strong { color: var(--ink); }
.note { color: var(--soft); font-size: .9375rem; }
.saved { padding: .6rem .9rem; color: var(--good); background: var(--good-paper); border-radius: .5rem; font-weight: 600; }
fieldset { min-width: 0; margin: 0 0 1.25rem; padding: 0; border: 0; }
ul { list-style: none; margin: .5rem 0 0; padding: 0; }
li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1rem; align-items: center; padding: .35rem 0; border-top: 1px solid var(--line); }
li label { grid-column: 1; grid-row: 1; padding: .55rem 0; cursor: pointer; }
li input { grid-column: 2; grid-row: 1; }
li p { grid-column: 1; padding-bottom: .45rem; margin-top: -.35rem; }
[role=switch] { appearance: none; width: 3rem; height: 1.75rem; margin: .25rem; flex: none; border-radius: 1rem; background: var(--soft); cursor: pointer; display: grid; align-items: center; padding: .25rem; }
[role=switch]::before { content: ""; width: 1.25rem; height: 1.25rem; border-radius: 50%; background: var(--sheet); }
[role=switch]:checked { background: var(--link); justify-items: end; }
@media (forced-colors: active) { [role=switch] { appearance: auto; } [role=switch]::before { content: none; } }
:focus-visible { outline: 3px solid var(--link); outline-offset: 3px; }
button, .button { font: inherit; font-weight: 600; display: inline-block; max-width: 100%; min-height: 2.75rem; padding: .55rem 1.25rem; color: var(--on-link); background: var(--link); border: 1px solid transparent; border-radius: .5rem; cursor: pointer; text-decoration: none; }
button.quiet { color: var(--ink); background: none; border-color: var(--soft); }
/* The second half of a double click on the page before must not undo the first. */
.settling { animation: settling 1s; } @keyframes settling { from, to { pointer-events: none; } }
button:hover, .button:hover { filter: brightness(1.1); } button.quiet:hover { background: var(--paper); filter: none; }
section { display: grid; gap: .6rem; justify-items: start; } form + section { padding-top: 1.25rem; border-top: 1px solid var(--line); }
@media (max-width: 24rem) { button, .button { width: 100%; text-align: center; } section, form { justify-items: stretch; } }
`
