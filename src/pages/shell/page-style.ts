// The style of the home page, the inbox and the pages of wrong addresses: one column on a phone, readable in the dark, every colour with a contrast of 4.5 at least.
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --paper: #f3f5f8; --sheet: #fff; --line: #d3dae3; --soft: #566170; --link: #1d4fc4; --on-link: #fff; --hover: #eef3fd; --fresh: #e3f4e8;
  --good: #14703a; --wait: #7a5200; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf0; --paper: #14181e; --sheet: #1d232b; --line: #343d49; --soft: #a3aebc; --link: #93b4ff; --on-link: #0f1726; --hover: #262e39; --fresh: #1d3527;
  --good: #7cd69b; --wait: #f0c063; --bad: #ff9c94; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: .25rem; }
main:focus { outline: none; }
h1 { font-size: clamp(1.25rem, 4vw, 1.6rem); line-height: 1.25; margin: 0; overflow-wrap: anywhere; max-height: 9em; overflow-y: auto; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
p { margin: 0; }
.skip { position: absolute; left: -100rem; } .skip:focus { left: 1rem; top: .5rem; z-index: 1; padding: .5rem 1rem; background: var(--sheet); }
.bar, main { width: 100%; max-width: 64rem; margin: 0 auto; padding: 0 clamp(.75rem, 3vw, 1.5rem); }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 0 .75rem; min-height: 3.5rem; }
.brand { font-weight: 700; text-decoration: none; color: inherit; white-space: nowrap; }
.bar nav { display: flex; margin-inline-end: auto; white-space: nowrap; } .bar nav a { padding: .6rem .5rem; color: var(--soft); text-decoration: none; } .bar nav a:hover { color: var(--ink); text-decoration: underline; } .bar nav [aria-current] { color: var(--ink); font-weight: 600; }
.team { color: var(--soft); font-size: .9rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
main { flex: 1; display: flex; flex-direction: column; gap: 1rem; padding-bottom: 2rem; }
.sheet { background: var(--sheet); border: 1px solid var(--line); border-radius: .6rem; padding: clamp(.75rem, 3vw, 1.25rem); min-width: 0; }
.soft, .note { color: var(--soft); font-size: .9rem; }
.head { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; } .head .note { flex: 1; }
button, .button { font: inherit; font-weight: 600; display: inline-block; min-height: 2.75rem; padding: .55rem 1.1rem; border: 1px solid transparent; border-radius: .5rem; background: var(--link); color: var(--on-link); cursor: pointer; text-decoration: none; }
button.quiet { min-height: 2.25rem; padding: .3rem .8rem; background: none; color: var(--ink); border-color: var(--line); font-weight: 400; font-size: .9rem; white-space: nowrap; }
button:hover, .button:hover { filter: brightness(1.08); } button.quiet:hover { background: var(--hover); }
label { display: block; font-weight: 600; margin-bottom: .3rem; }
input, select { font: inherit; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: .5rem; }
.narrow { width: 100%; max-width: 26rem; margin: clamp(1rem, 8vh, 5rem) auto 0; display: grid; gap: 1rem; } .narrow form { display: grid; gap: 1rem; }
.wrong { color: var(--bad); font-weight: 600; }
.notice { margin: auto; text-align: center; display: grid; gap: 1rem; padding: 2rem 0; justify-items: center; max-width: 40rem; overflow-wrap: anywhere; }
.home { width: 100%; max-width: 40rem; margin: clamp(1rem, 6vh, 4rem) auto 0; display: grid; gap: 1rem; } .home ul { list-style: none; margin: .5rem 0 0; padding: 0; display: grid; gap: .75rem; } .home li a { font-weight: 600; }
.emails { list-style: none; margin: 0; padding: 0; background: var(--sheet); border: 1px solid var(--line); border-radius: .6rem; overflow: hidden; }
.emails li + li { border-top: 1px solid var(--line); }
.emails a { display: grid; grid-template-columns: minmax(0, 1fr) 9.5rem 9rem; gap: 0 1rem; align-items: baseline; padding: .65rem 1rem; color: inherit; text-decoration: none; }
.emails a:hover { background: var(--hover); } .emails a:focus-visible { outline-offset: -3px; }
.emails .what { display: flex; gap: .75rem; align-items: baseline; min-width: 0; } .emails .who, .emails .subject { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .emails .what .soft { white-space: nowrap; }
.emails .who { grid-row: 2; grid-column: 1 / -1; color: var(--soft); font-size: .875rem; } .emails .subject { font-weight: 600; } .emails time { color: var(--soft); font-size: .875rem; white-space: nowrap; text-align: end; }
.emails .fresh { background: var(--fresh); }
.search { display: flex; flex-wrap: wrap; gap: .5rem; margin-inline-start: auto; } .search input, .search select { width: auto; min-height: 2.25rem; padding: .3rem .6rem; background: var(--sheet); flex: 1 1 9rem; min-width: 0; } .search input { flex-basis: 14rem; }
.pages { display: flex; justify-content: space-between; gap: 1rem; } .pages a { padding: .4rem 0; }
.state { font-size: .875rem; white-space: nowrap; color: var(--soft); } .state::before { content: ""; display: inline-block; width: .55em; height: .55em; margin-inline-end: .45em; border-radius: 50%; background: currentColor; }
.state.delivered, .state.opened, .state.clicked { color: var(--good); } .state.delivery_delayed, .state.delayed, .state.scheduled, .state.suppressed, .state.unknown { color: var(--wait); } .state.bounced, .state.failed, .state.complained { color: var(--bad); }
dl { display: grid; grid-template-columns: minmax(6.75rem, max-content) minmax(0, 1fr); gap: .2rem 1rem; margin: .75rem 0 0; }
.tag { display: inline-block; padding: 0 .5rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .875rem; }
#standing + dl { margin-top: .2rem; } #standing .state { font-size: 1rem; font-weight: 600; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.tabs { display: flex; gap: .25rem; border-bottom: 1px solid var(--line); margin-bottom: .75rem; overflow-x: auto; }
.tabs a { padding: .5rem .8rem; text-decoration: none; color: var(--soft); border-bottom: 3px solid transparent; white-space: nowrap; } .tabs a:focus-visible { outline-offset: -3px; }
.tabs a[aria-current] { color: var(--ink); border-color: var(--link); font-weight: 600; }
.ask { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-bottom: .75rem; }
.widths { display: flex; gap: 1rem; margin: 0 0 .5rem; padding: 0; border: 0; } .widths label { display: inline-flex; gap: .4rem; align-items: center; min-height: 2.25rem; margin: 0; font-weight: 400; font-size: .9rem; cursor: pointer; } .widths input { width: auto; min-height: 0; margin: 0; accent-color: var(--link); }
.frame { overflow-x: auto; }
@media (min-width: 44.01rem) { .slim { display: none; } .shown:has(.wide [value=phone]:checked) iframe { width: 390px; max-width: 100%; margin: 0 auto; } }
@media (max-width: 44rem) { .wide { display: none; } .shown:has(.slim [value=desktop]:checked) iframe { width: 60rem; } }
iframe { display: block; width: 100%; height: max(24rem, 65vh); resize: vertical; border: 1px solid var(--line); border-radius: .4rem; background: #fff; color-scheme: light; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; max-height: 75vh; overflow-y: auto; } pre.prose { font: inherit; } pre.code, .code { font: .85rem/1.5 ui-monospace, monospace; }
.rows { list-style: none; margin: 0; padding: 0; } .rows > li { padding: .5rem 0; } .rows > li + li { border-top: 1px solid var(--line); } .rows li { overflow-wrap: anywhere; }
.rows .line { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; justify-content: space-between; }
.recipients { width: 100%; border-collapse: collapse; table-layout: fixed; } .recipients th { text-align: start; font-weight: 400; color: var(--soft); } .recipients th, .recipients td { padding: .35rem .75rem .35rem 0; vertical-align: top; overflow-wrap: anywhere; } .recipients tbody tr { border-top: 1px solid var(--line); }
.recipients th:nth-child(1) { width: 32%; } .recipients th:nth-child(2) { width: 10.5rem; }
summary { cursor: pointer; } details:not([open]) > summary { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } details[open] > summary > .soft { display: none; }
.scroll { max-height: 32rem; overflow-y: auto; }
#progress { display: grid; gap: 1rem; }
@media (max-width: 44rem) {
  .emails a { grid-template-columns: minmax(0, 1fr) auto; gap: .1rem .75rem; }
  .emails .what { grid-column: 1 / -1; grid-row: 1; }
  .emails .subject { white-space: normal; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow-wrap: anywhere; }
  .emails .who { white-space: normal; overflow-wrap: anywhere; } .emails .state { grid-column: 1; } .emails time { grid-column: 2; }
  .team { display: none; }
  .search { margin: 0; flex-basis: 100%; }
  .recipients thead { position: absolute; left: -100rem; } .recipients tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; padding: .35rem 0; } .recipients td { padding: 0; } .recipients td:nth-child(3) { grid-column: 1 / -1; }
}
@media (max-width: 24rem) { .bar { column-gap: .25rem; } }
@media (max-width: 30rem) { dl { grid-template-columns: minmax(5rem, max-content) minmax(0, 1fr); gap: .2rem .75rem; } dl.code { grid-template-columns: minmax(0, 1fr); gap: 0; } dl.code dd { margin-bottom: .35rem; } }
`
