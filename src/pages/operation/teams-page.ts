// The teams of the installation.
import { html } from '@remix-run/html-template'
import type { Page } from '../../repositories/page.ts'
import type { TeamRow } from '../../repositories/team/teams.ts'
import { moment } from '../shell/moments.ts'
import { pager } from '../shell/pager.ts'
import { operatorPage, PLACES } from './operator-page.ts'

const ADDRESS = PLACES[3].address

export const teamsPage = ({ now, page, after }: { now: Date; page: Page<TeamRow>; after: string | null }): string =>
  operatorPage({
    place: 'Teams',
    main: html`<div class="head"><h1>Teams</h1></div>
<p class="note">The command line creates and renames teams: <code>npm run -s posthaste -- teams --help</code></p>
<table class="sheet list"><thead><tr><th scope="col">Team</th><th scope="col">Created</th></tr></thead>
<tbody>${page.rows.map(({ id, name, createdAt }) => html`<tr><th scope="row"><bdi>${name}</bdi><div class="soft code">${id}</div></th><td class="soft">${moment(createdAt, now)}</td></tr>`)}</tbody></table>
${pager(page, { address: ADDRESS, after })}`,
  })
