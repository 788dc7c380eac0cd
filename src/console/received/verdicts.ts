import { html, type SafeHtml } from '@remix-run/html-template'
import { SENDER_VERDICTS, type Verdict } from '../../modules/inbound/content/sender-verdicts.ts'
import type { FilterResult } from '../../modules/inbound/filter/message-filter.client.ts'
import type { ReceivedEmailRow } from '../../modules/inbound/received.repository.ts'

/** What the checks of the sender and the filter of the operator say of a received email, with what each means. */
export const verdicts = ({ spf, dkim, dmarc, arc, filter }: ReceivedEmailRow): SafeHtml =>
  html`${senderVerdict('SPF', spf)}${senderVerdict('DKIM', dkim)}${senderVerdict('DMARC', dmarc)}${senderVerdict('ARC', arc)}${filter === null ? '' : filterVerdict(filter)}`

type Check = 'SPF' | 'DKIM' | 'DMARC' | 'ARC'

const MEANINGS: Record<Check, Record<'pass' | 'fail' | 'gray', string>> = {
  SPF: {
    pass: 'The domain of the sender allows the server that sent it.',
    fail: 'The domain of the sender does not allow the server that sent it.',
    gray: 'The domain of the sender does not say whether it allows the server that sent it.',
  },
  DKIM: {
    pass: 'The domain of the sender has signed it, and it was not changed since.',
    fail: 'Its signature is wrong: it was changed, or someone else has signed it.',
    gray: 'The domain of the sender has not signed it, or not all of it.',
  },
  DMARC: {
    pass: 'It comes from the sender that it names.',
    fail: 'It does not come from the sender that it names.',
    gray: 'Nothing shows that all of it comes from the sender that it names, and the domain of the sender does not ask to refuse it.',
  },
  ARC: {
    pass: 'The servers that forwarded it have signed what they saw.',
    fail: 'The signatures of the servers that forwarded it are wrong.',
    gray: 'No server that forwarded it has signed it.',
  },
}
const NOT_KNOWN = {
  processing_failed: 'The DNS did not answer.',
  unknown: 'What is published for it is not valid, or its headers are too long to be checked.',
}

/** The colors are those of the states of emails. */
const SENDER_COLORS: Record<Verdict, string> = {
  pass: 'delivered',
  fail: 'bounced',
  gray: 'queued',
  processing_failed: 'unknown',
  unknown: 'unknown',
}

function senderVerdict(check: Check, stored: string | null): SafeHtml {
  if (stored === null) return html``
  const verdict = SENDER_VERDICTS.find((one) => one === stored) ?? 'unknown'
  return line(check, {
    color: SENDER_COLORS[verdict],
    word: verdict.replace('_', ' '),
    meaning: { ...MEANINGS[check], ...NOT_KNOWN }[verdict],
  })
}

const FILTER_COLORS: Record<FilterResult['verdict'], string> = {
  clean: 'delivered',
  spam: 'bounced',
  virus: 'bounced',
  not_checked: 'unknown',
}

const filterVerdict = (filter: FilterResult): SafeHtml =>
  line('Filter', { color: FILTER_COLORS[filter.verdict], word: filter.verdict.replace('_', ' '), meaning: filterMeaning(filter) })

function filterMeaning({ name, verdict, score, detail }: FilterResult): string {
  switch (verdict) {
    case 'clean':
      return `${name} found nothing wrong with it${inBrackets(score, detail)}.`
    case 'spam':
      return `${name} says that it is spam${inBrackets(score, detail)}.`
    case 'virus':
      return `${name} found a virus in it${inBrackets(score, detail)}.`
    case 'not_checked':
      return `${name} has not checked it. ${detail ?? ''}`.trim()
  }
}

function inBrackets(score: number | null, detail: string | null): string {
  const facts = [...(score === null ? [] : [`score ${score}`]), ...(detail === null ? [] : [detail])]
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`
}

const line = (name: string, { color, word, meaning }: { color: string; word: string; meaning: string }): SafeHtml =>
  html`<dt>${name}</dt><dd><span class="state ${color}">${word}</span> <span class="soft">${meaning}</span></dd>`
