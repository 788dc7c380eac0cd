// One topic: what contacts see of it, which can be changed, and deleting it.
import { html } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { TopicRow } from '../../modules/audience/topics/topics.repository.ts'
import type { AudienceBroadcastRow } from '../../modules/broadcasts/due-broadcasts.repository.ts'
import { AUDIENCE_STYLE } from '../contacts/audience-style.ts'
import { broadcastLines } from '../shell/broadcast-lines.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { deleteButton } from '../shell/used-record.ts'
import { TEXT_FIELDS, topicFields } from './topic-fields.ts'
import type { TopicForm } from './topic-forms.ts'
import { ADDRESS, DEFAULT_WORDS, pathOf } from './topic-words.ts'

export type TopicView = {
  teamName: string
  now: Date
  topic: TopicRow
  broadcasts: Page<AudienceBroadcastRow>
  form: TopicForm
  problem: FormProblem | null
  note: string
}

export const topicPage = ({ teamName, now, topic, broadcasts, form, problem, note }: TopicView): string =>
  consolePage({
    title: topic.name,
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<div class="head"><p><a href="${ADDRESS}">← All topics</a></p><p class="note" role="status">${note}</p></div>
<section class="sheet parts"><h1 dir="auto">${topic.name}</h1>
<dl><dt>By default</dt><dd>${DEFAULT_WORDS[topic.defaultSubscription]}</dd><dt>Created</dt><dd>${timeElement(topic.createdAt, now)}</dd><dt>Id</dt><dd class="code">${topic.id}</dd></dl>
<form class="fields" method="post" action="${pathOf(topic)}">
${problemNote(problem, TEXT_FIELDS)}
${topicFields(form, problem, { isNew: false })}
<div class="choice"><button>Save the topic</button> <a class="button quiet" href="${pathOf(topic)}/delete">Delete</a></div></form></section>
${broadcastLines(broadcasts)}`,
  })

export type TopicDeleteView = { teamName: string; topic: Pick<TopicRow, 'id' | 'name'>; problem: FormProblem | null }

/** Asks before a topic is deleted, and says what that means. */
export const topicDeletePage = ({ teamName, topic, problem }: TopicDeleteView): string =>
  consolePage({
    title: `Delete ${topic.name}`,
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<p><a href="${pathOf(topic)}" dir="auto">← ${topic.name}</a></p>
<section class="sheet parts"><h1>Delete this topic?</h1>
${problemNote(problem, [])}
<p dir="auto">${topic.name}</p>
<ul><li>What contacts chose about it is deleted. People who opted out of it get broadcasts that have no topic.</li>
<li>Emails of the topic that are scheduled fail at their time.</li></ul>
<p>This cannot be undone.</p>
<form class="choice" method="post" action="${pathOf(topic)}/delete">${deleteButton('Delete the topic', problem)} <a class="button quiet" href="${pathOf(topic)}">Keep it</a></form>
</section>`,
  })
