import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { storedFiles } from '../../support/builders/contact-imports.ts'
import { openRawSocket, type RawAnswer } from '../../support/clients/raw-requests.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

/** One more than a team has places: the last would be refused if one of the others had kept its place. */
const ROUNDS = 3

const service = shared(() => startTestService())

const part = (name: string, text: string, filename = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n\r\n${text}\r\n`
const file = (name = 'file') => part(name, 'email\nada@example.com\n', '; filename="a.csv"')
const END = '--b--\r\n'
const SKIP = part('on_conflict', 'skip')
const FIELD_TWICE = 'The `on_conflict` field is given twice. Give it once.'
const FILE_TWICE = 'The `file` field is given twice: send one file.'
const TOO_LONG = 'The `segments` field must have at most 64 KB.'
const TOO_MANY = 'The request body has more than 20 fields.'
const TOO_MANY_PARTS = 'The request body has more than 500 parts.'
const ALL_TOO_LONG = 'The fields besides the file must have at most 1024 KB together.'
const NOT_A_FORM = 'The request body is not valid multipart/form-data.'
const longField = part('segments', 'x'.repeat(70_000))
const fields = (count: number) => Array.from({ length: count }, (_, index) => part(`field_${index}`, 'x'))

const edges = (piece: string): string[] => [...piece.slice(0, 80), piece.slice(80, -12), ...piece.slice(80).slice(-12)]

async function send(pieces: string[], { boundary = '; boundary=b', rest = '' } = {}): Promise<RawAnswer> {
  const raw = await openRawSocket(service.url)
  raw.socket.setNoDelay()
  const length = pieces.join('').length + rest.length
  raw.write(
    `POST /contacts/imports HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: multipart/form-data${boundary}\r\nContent-Length: ${length}\r\n\r\n`,
  )
  for (const piece of pieces) {
    raw.write(piece)
    await turn()
  }
  // What comes later finds a form that has already failed.
  await pause(5)
  raw.write(rest)
  const answer = await raw.answer()
  raw.close()
  return answer
}

describe.each<[string, (pieces: string[]) => string[]]>([
  ['in one piece', (pieces) => [pieces.join('')]],
  ['part by part', (pieces) => pieces],
  ['byte by byte at the edges of its parts', (pieces) => pieces.flatMap(edges)],
])('a form that arrives %s', (_how, cut) => {
  it.each<[string, { pieces: string[]; rest?: string; boundary?: string; status?: number; message: string }]>([
    ['a field twice, before the file', { pieces: [SKIP, SKIP, file(), END], message: FIELD_TWICE }],
    [
      'a field twice, before a file that ends later',
      { pieces: [SKIP, SKIP, file().slice(0, -9)], rest: `mple\n\r\n${END}`, message: FIELD_TWICE },
    ],
    ['a field twice, around the file', { pieces: [SKIP, file(), SKIP, END], message: FIELD_TWICE }],
    ['a field twice, behind the file', { pieces: [file(), SKIP, SKIP, END], message: FIELD_TWICE }],
    ['a field twice, and a file twice', { pieces: [SKIP, SKIP, file(), file(), END], message: FIELD_TWICE }],
    ['a file twice', { pieces: [file(), file(), END], message: FILE_TWICE }],
    ['a file twice, and a field twice', { pieces: [file(), file(), SKIP, SKIP], rest: END, message: FILE_TWICE }],
    [
      'a file twice, of which the second ends later',
      { pieces: [file(), file().slice(0, -9)], rest: `mple\n\r\n${END}`, message: FILE_TWICE },
    ],
    ['a field that is too long, before the file', { pieces: [longField, file()], rest: END, message: TOO_LONG }],
    ['a field that is too long, behind the file', { pieces: [file(), longField], rest: END, message: TOO_LONG }],
    ['too many fields, before the file', { pieces: [...fields(21), file()], rest: END, message: TOO_MANY }],
    ['too many fields, behind the file', { pieces: [file(), ...fields(21), END], message: TOO_MANY }],
    [
      'too many parts of a list',
      { pieces: [file(), ...Array.from({ length: 501 }, () => part('segments', 'x')), END], message: TOO_MANY_PARTS },
    ],
    [
      'texts that are too long together',
      { pieces: [file(), ...Array.from({ length: 17 }, () => part('segments', 'x'.repeat(64_000)))], rest: END, message: ALL_TOO_LONG },
    ],
    ['a file of another name', { pieces: [file('csv'), SKIP, END], message: 'Missing `file` field.' }],
    ['parts without a name', { pieces: ['--b\r\n\r\n\r\n', '--b\r\nX: y\r\n\r\nz\r\n', END], message: 'Missing `file` field.' }],
    ['no part', { pieces: [END], message: 'Missing `file` field.' }],
    ['no end', { pieces: [SKIP, file()], status: 400, message: NOT_A_FORM }],
    ['no end, and a field twice', { pieces: [SKIP, SKIP, file()], message: FIELD_TWICE }],
    ['an end within the file', { pieces: [SKIP, file().slice(0, -9)], status: 400, message: NOT_A_FORM }],
    ['an end within the head of the file', { pieces: [SKIP, file().slice(0, 40)], status: 400, message: NOT_A_FORM }],
    ['another boundary than it says', { pieces: [SKIP, file(), END], boundary: '; boundary=c', status: 400, message: NOT_A_FORM }],
    ['no boundary', { pieces: [SKIP, file(), END], boundary: '', status: 400, message: NOT_A_FORM }],
  ])('with %s, is answered, leaves its place, and no file', async (_what, { pieces, rest = '', boundary, status = 422, message }) => {
    for (let round = 0; round < ROUNDS; round++)
      expect(await send(cut(pieces), { rest, ...(boundary !== undefined && { boundary }) })).toMatchObject({ status, body: { message } })
    await until(async () => expect(await storedFiles(service)).toEqual([]))
  })
})
