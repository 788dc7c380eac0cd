// Writing a segment: its name, and the filter that finds its contacts.
import { html } from '@remix-run/html-template'
import type { BoundedCount } from '../../modules/audience/segments/segment-members.repository.ts'
import { SEGMENT_NAME_LENGTH_MAX } from '../../modules/audience/segments/segments.schema.ts'
import { AUDIENCE_STYLE } from '../contacts/audience-style.ts'
import { consolePage } from '../shell/console-page.ts'
import { formIdField } from '../shell/form-ids.ts'
import { type FormProblem, isAbout, PROBLEM_ID, problemNote } from '../shell/form-problem.ts'
import { type DraftGroup, ROOT } from './filter-draft.ts'
import { filterFields } from './filter-fields.ts'
import type { SubjectGroup } from './filter-subjects.ts'
import { countWords } from './segment-page.ts'
import { ADDRESS, pathOf } from './segment-words.ts'

export type SegmentEditView = {
  teamName: string
  /** Null if it is a new one. */
  segment: { id: string; hasFilter: boolean } | null
  formId: string
  name: string
  draft: DraftGroup
  groups: SubjectGroup[]
  /** How many contacts the filter finds, if that was asked. */
  counted: BoundedCount | null
  problem: FormProblem | null
}

export function segmentEditPage({ teamName, segment, formId, name, draft, groups, counted, problem }: SegmentEditView): string {
  const title = segment === null ? 'New segment' : 'Change the segment'
  const back = segment === null ? ADDRESS : pathOf(segment)
  return consolePage({
    title,
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<div class="head"><h1>${title}</h1><p><a href="${back}">← Back</a></p></div>
<form class="sheet parts" method="post" action="${segment === null ? `${ADDRESS}/new` : `${pathOf(segment)}/edit`}">
${problemNote(problem, ['name'])}
${segment === null ? formIdField(formId) : ''}
<div class="fields"><div><label for="name">Name</label><input type="text" id="name" name="name" value="${name}" maxlength="${2 * SEGMENT_NAME_LENGTH_MAX}" autocomplete="off"${isAbout(problem, 'name') ? html` aria-invalid="true" aria-describedby="${PROBLEM_ID}" autofocus` : ''}></div></div>
<h2>Filter</h2>
<p class="note">${segment?.hasFilter ? 'Without any rule, the segment has no filter and is empty until you add contacts to it.' : 'Leave it without rules if you add the contacts one by one, or by an import.'}</p>
<div class="choice"><button class="quiet" name="act" value="count">Count the contacts</button> <span role="status">${counted === null ? '' : countWords(counted)}</span></div>
${filterFields(draft, groups, placeOf(problem))}
<div><button name="act" value="save">Save the segment</button></div></form>`,
  })
}

/** A sentence about a rule says where it is: `filter.all[2].not.any[0].value`. */
function placeOf(problem: FormProblem | null): string | null {
  const path = problem?.sentence.split('`')[1] ?? ''
  if (!path.startsWith('filter')) return null
  return [
    ROOT,
    ...path
      .split('[')
      .slice(1)
      .map((part) => part.slice(0, part.indexOf(']'))),
  ].join('.')
}
