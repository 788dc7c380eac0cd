import { afterEach, describe, expect, it } from 'vitest'
import { invalid, outcome } from '../../support/builders/answers.ts'
import { countStored, emailInput, MIB, NOTHING_STORED, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { ALLOW_PRIVATE_NETWORKS: 'false' } }))
afterEach(async () => {
  expect(await countStored(service)).toEqual(NOTHING_STORED)
})

const NO_ADDRESS = 'must hold an address: `name@example.com` or `Name <name@example.com>`. It is "".'
const NO_TIME =
  'is not a time that can be understood: give an ISO 8601 time, `YYYY-MM-DDTHH:MM:SSZ`, or English such as `in 2 hours` or `tomorrow at 9am ET`.'
const copies = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

type Row = [what: string, changes: Record<string, unknown>, message: string]

const ADDRESSES: Row[] = [
  ['no sender', { from: undefined }, 'Missing `from` field.'],
  ['no recipients', { to: undefined }, 'Missing `to` field.'],
  ['an empty sender', { from: '' }, `The \`from\` field ${NO_ADDRESS}`],
  ['an empty list of recipients', { to: [] }, 'The `to` field must not be empty.'],
  ['an empty recipient', { to: '' }, `The \`to\` field ${NO_ADDRESS}`],
  ['an empty copy', { cc: '' }, `The \`cc\` field ${NO_ADDRESS}`],
  ['no address at all', { from: 'nope' }, 'The `from` field must be `name@example.com` or `Name <name@example.com>`. It is "nope".'],
  [
    'the fourth of several',
    { to: [...copies(3, 'a@b.co'), 'bad'] },
    'The `to[3]` field must be `name@example.com` or `Name <name@example.com>`. It is "bad".',
  ],
  [
    'a copy without domain',
    { cc: ['a@b.co', 'a@'] },
    'The `cc[1]` field has a domain that is not valid: it is made of letters, digits, hyphens and underscores, such as `example.com`. It is "a@".',
  ],
  [
    'a hidden copy at a host name',
    { bcc: 'a@localhost' },
    'The `bcc` field must have a full domain such as `example.com`, not a host name alone. It is "a@localhost".',
  ],
  [
    'an answer address at an IP address',
    { reply_to: 'a@[1.2.3.4]' },
    'The `reply_to` field must name a domain: an IP address in brackets is not accepted. It is "a@[1.2.3.4]".',
  ],
  [
    'two senders',
    { from: 'a@b.co, c@d.co' },
    'The `from` field must be one address, not several; put a display name that has a comma or semicolon in double quotes. It is "a@b.co, c@d.co".',
  ],
  [
    'a group',
    { to: 'friends: a@b.co;' },
    'The `to` field has a colon outside double quotes, which would be a group: give one address, and put such a display name in double quotes. It is "friends: a@b.co;".',
  ],
  [
    'a comment',
    { to: '(Ada) a@b.co' },
    'The `to` field has parentheses outside double quotes, which would be a comment: put such a display name in double quotes. It is "(Ada) a@b.co".',
  ],
  [
    'a line break in an address',
    { from: 'a@b.co\r\nBcc: x@y.co' },
    'The `from` field may not hold line breaks or other control characters. It is "a@b.co\\r\\nBcc: x@y.co".',
  ],
  [
    'a name that is encoded already',
    { from: '=?utf-8?q?x?= <a@b.co>' },
    'The `from` field has an encoded display name: write the name unencoded, in any script. It is "=?utf-8?q?x?= <a@b.co>".',
  ],
  [
    'a local part that is not ASCII',
    { to: 'ä@b.co' },
    'The `to` field has characters before the `@` that are not ASCII: most mail servers do not take such an address. It is "ä@b.co".',
  ],
  ['51 recipients', { to: copies(51, 'a@b.co') }, 'The `to` field must have at most 50 entries.'],
  ['51 copies', { cc: copies(51, 'a@b.co') }, 'The `cc` field must have at most 50 entries.'],
  ['51 hidden copies', { bcc: copies(51, 'a@b.co') }, 'The `bcc` field must have at most 50 entries.'],
  ['51 answer addresses', { reply_to: copies(51, 'a@b.co') }, 'The `reply_to` field must have at most 50 entries.'],
]

const CONTENT: Row[] = [
  ['no subject', { subject: undefined }, 'Missing `subject` field.'],
  ['a subject of two lines', { subject: 'a\r\nBcc: x@y.co' }, 'The `subject` field must be one line.'],
  ['a subject with a bare line feed', { subject: 'a\nb' }, 'The `subject` field must be one line.'],
  ...['\u0007', '\t', '\u2028', '\u202a', '\u202e'].map(
    (character): Row => [
      `a subject with ${JSON.stringify(character)} in it`,
      { subject: `Your ${character}receipt` },
      'The `subject` field may not hold control characters or characters that change the direction of writing.',
    ],
  ),
  [
    'a subject with an encoded word',
    { subject: 'Hi =?utf-8?q?=0aBcc:_x?=' },
    'The `subject` field holds an encoded word (`=?...?=`): write the subject unencoded, in any script.',
  ],
  ['a subject of 999 characters', { subject: 'x'.repeat(999) }, 'The `subject` field must have at most 998 characters.'],
  ['neither HTML nor text', { text: undefined }, 'Missing `html` or `text` field.'],
  ['null for both HTML and text', { html: null, text: null }, 'Missing `html` or `text` field.'],
  [
    'content that is over 40 MB only when it is encoded',
    { html: "=e' aaaa".repeat(4.8 * MIB) },
    'The email has more than 40 MB once it is encoded. Send large files as links.',
  ],
  ['content over 40 MB', { html: 'x'.repeat(40 * MIB) }, 'The email has more than 40 MB once it is encoded. Send large files as links.'],
  [
    'a template beside a body',
    { template: { id: 'welcome', variables: { name: 'Ada' } } },
    'Give either `template`, or `html` and `text`, not both.',
  ],
  ['a topic that the team does not have', { topic_id: UNKNOWN_ID }, 'The `topic_id` field is not the id of one of your topics.'],
  ['the name of a topic', { topic_id: 'newsletter' }, 'The `topic_id` field must be a UUID. It is "newsletter".'],
]

const TAGS: Row[] = [
  ['a tag without name', { tags: [{ value: 'x' }] }, 'Missing `tags[0].name` field.'],
  ['a tag without value', { tags: [{ name: 'a', value: 'b' }, { name: 'a' }] }, 'Missing `tags[1].value` field.'],
  ['an empty name', { tags: [{ name: '', value: 'x' }] }, 'The `tags[0].name` field must not be empty.'],
  [
    'a name with a space',
    { tags: [{ name: 'a b', value: 'x' }] },
    'The `tags[0].name` field may hold only ASCII letters, digits, underscores and hyphens.',
  ],
  [
    'a value with an umlaut',
    { tags: [{ name: 'a', value: 'ä' }] },
    'The `tags[0].value` field may hold only ASCII letters, digits, underscores and hyphens.',
  ],
  [
    'a value with a line break at its end',
    { tags: [{ name: 'a', value: 'x\n' }] },
    'The `tags[0].value` field may hold only ASCII letters, digits, underscores and hyphens.',
  ],
  [
    'a name of 257 characters',
    { tags: [{ name: 'a'.repeat(257), value: 'x' }] },
    'The `tags[0].name` field must have at most 256 characters.',
  ],
  [
    'a value of 257 characters',
    { tags: [{ name: 'a', value: 'x'.repeat(257) }] },
    'The `tags[0].value` field must have at most 256 characters.',
  ],
  ['51 tags', { tags: copies(51, { name: 'a', value: 'b' }) }, 'The `tags` field must have at most 50 entries.'],
  ['a map instead of a list', { tags: { category: 'receipt' } }, 'The `tags` field must be an array.'],
]

const HEADER_VALUE = 'has a line break or another control character in the value of `X-A`.'
const HEADER_NAME = 'use visible ASCII characters without spaces and colons.'
const OWN_HEADERS = [
  'From',
  'sender',
  'TO',
  'Cc',
  'Bcc',
  'Reply-To',
  'Subject',
  'Date',
  'Message-ID',
  'Received',
  'DKIM-Signature',
  'MIME-Version',
  'Resent-To',
  'Content-Type',
]
const HEADERS: Row[] = [
  ...OWN_HEADERS.map(
    (name): Row => [
      name,
      { headers: { [name]: 'x' } },
      `The \`headers\` field may not set \`${name}\`: the service writes that header itself.`,
    ],
  ),
  [
    'a header of the receiving server',
    { headers: { 'ARC-Seal': 'x' } },
    'The `headers` field may not set `ARC-Seal`: only servers that receive mail write that header.',
  ],
  ['a name with a space', { headers: { 'X A': 'x' } }, `The \`headers\` field has the header name \`X A\`: ${HEADER_NAME}`],
  ['a name with a colon', { headers: { 'X:': 'x' } }, `The \`headers\` field has the header name \`X:\`: ${HEADER_NAME}`],
  ['a name that is not ASCII', { headers: { ä: 'x' } }, `The \`headers\` field has the header name \`ä\`: ${HEADER_NAME}`],
  ['an empty name', { headers: { '': 'x' } }, `The \`headers\` field has the header name \`\`: ${HEADER_NAME}`],
  ['a header within a value', { headers: { 'X-A': 'a\r\nBcc: x@y.co' } }, `The \`headers\` field ${HEADER_VALUE}`],
  ['a line feed within a value', { headers: { 'X-A': 'a\n' } }, `The \`headers\` field ${HEADER_VALUE}`],
  [
    'a header of more than 16 KB',
    { headers: { 'X-A': 'x'.repeat(16 * 1024) } },
    'The `headers` field has a value of `X-A` that is too long: a header may have at most 16 KB.',
  ],
  [
    'one name twice',
    { headers: { 'X-A': '1', 'x-a': '2' } },
    'The `headers` field names `x-a` twice: upper and lower case are the same header.',
  ],
  ['a number as value', { headers: { 'X-A': 5 } }, 'The `headers.X-A` field must be a string.'],
  ['null as value', { headers: { 'X-A': null } }, 'The `headers.X-A` field must be a string.'],
  [
    '51 headers',
    { headers: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`X-${index}`, 'v'])) },
    'The `headers` field may hold at most 50 headers, not 51.',
  ],
]

const TIMES: Row[] = [
  [
    'the past',
    { scheduled_at: '2020-01-01T00:00:00Z' },
    'The `scheduled_at` field is in the past (2020-01-01T00:00:00.000Z): give a time in the future.',
  ],
  ['more than 30 days ahead', { scheduled_at: 'in 31 days' }, 'The `scheduled_at` field may be at most 30 days ahead.'],
  [
    'a date that does not exist',
    { scheduled_at: '2026-13-45T00:00:00Z' },
    'The `scheduled_at` field names a date or time that does not exist.',
  ],
  [
    'a day without a time',
    { scheduled_at: 'tomorrow' },
    'The `scheduled_at` field names no time of day: add one, as in `tomorrow at 9am`.',
  ],
  ['no time at all', { scheduled_at: 'soon enough' }, `The \`scheduled_at\` field ${NO_TIME}`],
  ['an empty text', { scheduled_at: '' }, `The \`scheduled_at\` field ${NO_TIME}`],
  ['a number', { scheduled_at: 1_795_000_000 }, 'The `scheduled_at` field must be a string.'],
]

describe.each([
  ['addresses', ADDRESSES],
  ['content', CONTENT],
  ['tags', TAGS],
  ['headers', HEADERS],
  ['times', TIMES],
])('POST /emails refuses bad %s and stores nothing', (_about, rows) => {
  it.each(rows)('%s', async (_what, changes, message) => {
    const answer = await service.call('POST', '/emails', { body: emailInput(changes) })
    expect(outcome(answer)).toEqual(invalid(message))
  })
})
