// Asks before a segment is deleted, and says what that means.
import { html } from '@remix-run/html-template'
import { AUDIENCE_STYLE } from '../contacts/audience-style.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { deleteButton } from '../shell/used-record.ts'
import { ADDRESS, pathOf } from './segment-words.ts'

export type SegmentDeleteView = { teamName: string; segment: { id: string; name: string }; problem: FormProblem | null }

export const segmentDeletePage = ({ teamName, segment, problem }: SegmentDeleteView): string =>
  consolePage({
    title: `Delete ${segment.name}`,
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<p><a href="${pathOf(segment)}" dir="auto">← ${segment.name}</a></p>
<section class="sheet parts"><h1>Delete this segment?</h1>
${problemNote(problem, [])}
<p dir="auto">${segment.name}</p>
<ul><li>Its contacts are kept.</li><li>Broadcasts that are scheduled to it are drafts again.</li></ul>
<p>This cannot be undone.</p>
<form class="choice" method="post" action="${pathOf(segment)}/delete">${deleteButton('Delete the segment', problem)} <a class="button quiet" href="${pathOf(segment)}">Keep it</a></form>
</section>`,
  })
