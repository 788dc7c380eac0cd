// The teams of the installation.
import { html } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { TeamRow } from '../../modules/accounts/teams/teams.repository.ts'
import { pager } from '../shell/pager.ts'
import { operatorPage, PLACES } from './operator-page.ts'

const ADDRESS = PLACES[3].address

export const teamsPage = ({
  now,
  page,
  after,
}: {
  now: Date
  page: Page<Pick<TeamRow, 'id' | 'name' | 'createdAt'>>
  after: string | null
}): string =>
  operatorPage({
    place: 'Teams',
    main: html`<div class="head"><h1>Teams</h1></div>
<p class="note">The command line creates and renames teams: <code>npm run -s posthaste -- teams --help</code></p>
<table class="sheet list"><thead><tr><th scope="col">Team</th><th scope="col">Created</th></tr></thead>
<tbody>${page.rows.map(({ id, name, createdAt }) => html`<tr><th scope="row"><bdi>${name}</bdi><div class="soft code">${id}</div></th><td class="soft">${timeElement(createdAt, now)}</td></tr>`)}</tbody></table>
${pager(page, { address: ADDRESS, after })}`,
  })
