import { html, type SafeHtml } from '@remix-run/html-template'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { EmailLineRow } from '../../modules/emails/email-searches.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { fragmentVersion } from '../shell/fragments.ts'
import { pager } from '../shell/pager.ts'
import { lines, linesFragment } from './email-lines.ts'
import { EMAILS_STYLE } from './emails-style.ts'
import { type BroadcastChoice, NOTHING_SOUGHT, type Sought, searchForm } from './search-form.ts'

export type ListView = {
  teamName: string
  broadcasts: BroadcastChoice[]
  now: Date
  page: Page<EmailLineRow>
  /** The id after which this page begins; null if it is the first page, on which new mail appears. */
  after: string | null
  publicUrl: string
}

export function listPage({ teamName, broadcasts, now, page, after, publicUrl }: ListView): string {
  const surroundings = { publicUrl, now }
  const content = lines(page.rows, surroundings)
  const list =
    after === null
      ? html`<div id="lines" data-live="/console/emails/lines" data-version="${fragmentVersion(linesFragment(page.rows, surroundings))}" data-announce="yes">${content}</div>`
      : html`<div>${page.rows.length > 0 ? content : html`<p class="sheet">There is no older mail.</p>`}</div>`
  return listShell({ teamName, broadcasts, sought: NOTHING_SOUGHT }, html`${list}\n${pager(page, { address: '/console/emails', after })}`)
}

type Frame = { teamName: string; broadcasts: BroadcastChoice[]; sought: Sought }

export const listShell = ({ teamName, broadcasts, sought }: Frame, list: SafeHtml): string =>
  consolePage({
    title: 'Emails',
    section: '/console/emails',
    teamName,
    files: [EMAILS_STYLE],
    main: html`<div class="head"><h1>Emails</h1><p class="note" role="status"></p>${searchForm(sought, broadcasts)}</div>
${list}`,
  })
