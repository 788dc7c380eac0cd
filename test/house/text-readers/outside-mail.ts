// Everything outside src/mail.
import { openSync } from 'node:fs'
import cookies from '@fastify/cookie'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { isRefusedData } from '../../../src/db/database-errors.ts'
import { asDownload, preferredLanguage, readRange } from '../../../src/http/headers.ts'
import { jsonPlace } from '../../../src/http/validation/form-body.ts'
import { redact } from '../../../src/http/validation/logged-body.ts'
import { filenameOf, contentTypeOf as typeOfResponse } from '../../../src/io/http/remote-files.ts'
import { createLog } from '../../../src/io/log.ts'
import { parseRelayUrl } from '../../../src/io/smtp/client/relay-url.ts'
import { resultOfReply } from '../../../src/io/smtp/client/smtp-outcome.ts'
import { readProxyHeader } from '../../../src/io/smtp/server/sockets.ts'
import { parseDuration } from '../../../src/lib/clock.ts'
import { verifyToken } from '../../../src/lib/crypto/sealing.ts'
import { csvLine } from '../../../src/lib/csv/csv-files.ts'
import { createCsvReader } from '../../../src/lib/csv/csv-rows.ts'
import { idOfShort } from '../../../src/lib/ids.ts'
import { quotedValue } from '../../../src/lib/problem.ts'
import { StartupProblem } from '../../../src/lib/startup-problem.ts'
import { isVisible } from '../../../src/lib/text.ts'
import { shapeProblem } from '../../../src/lib/validation/body-shape.ts'
import { secretQuery } from '../../../src/lib/validation/common.schema.ts'
import { fieldTree } from '../../../src/lib/validation/field-tree.ts'
import { unstorableField, validationSentence } from '../../../src/lib/validation/validation-sentence.ts'
import { saysUnsubscribed } from '../../../src/modules/audience/imports/imports.schema.ts'
import { isUnsubscribeLink, overlongLinkReply } from '../../../src/modules/audience/unsubscribe/unsubscribe.routes.ts'
import { loggedReason } from '../../../src/modules/delivery/engine/batch.ts'
import { createReturnPathTokens } from '../../../src/modules/delivery/return-path.ts'
import { relativeName } from '../../../src/modules/domains/records/wanted-records.ts'
import { withFrameScript } from '../../../src/modules/sharing/frame/email-frame.ts'
import { tokenIn } from '../../../src/plugins/authentication.ts'
import { attempt, type TextReaders } from './text-reader.ts'

const NOW = new Date('2026-03-04T05:06:07Z')
const URL_TREE = fieldTree(Type.String(secretQuery))
const ERROR = { keyword: 'type', schemaPath: '#/properties/a/type', params: { type: 'string' } }
const TERMINAL = createLog({ logLevel: 'info' }, { fileDescriptor: openSync('/dev/null', 'w'), isTerminal: true })
const BROWSER = Fastify()
await BROWSER.register(cookies)
const RETURN_PATHS = createReturnPathTokens(() => ({ signing: 1, keys: new Map([[1, Buffer.alloc(32)]]) }))

export const READERS_OUTSIDE_MAIL: TextReaders = {
  readRange: (text) => readRange(text, 10),
  'relativeName under a text': (text) => relativeName('a.example.com', text),
  parseDuration,
  resultOfReply: (text) => resultOfReply(`550 ${text}`, 'rcpt'),
  'filenameOf a header': (value) => filenameOf({ 'content-disposition': `attachment${value}` }, 'https://a.example/'),
  'filenameOf an address': (path) => filenameOf({}, `https://a.example/${path}`),
  'contentTypeOf a header': (value) => typeOfResponse({ 'content-type': value }),
  parseRelayUrl: (text) => attempt(() => parseRelayUrl(`smtp://${text}`)),
  preferredLanguage: (text) => preferredLanguage(text, ['en', 'de']),
  asDownload,
  csvLine: (text) => csvLine([text]),
  readProxyHeader: (text) => readProxyHeader(Buffer.from(`PROXY ${text}`)),
  createCsvReader: (text) => createCsvReader(',').push(text),
  isRefusedData: (text) => isRefusedData(Object.assign(new Error(text), { code: text })),
  idOfShort,
  verifyToken: (token) => verifyToken({ keys: new Map([[1, Buffer.alloc(32)]]), purpose: 'x', token: `1.${token}`, now: NOW }),
  'read of a return path': (text) => RETURN_PATHS.read(text),
  StartupProblem: (text) => new StartupProblem(text),
  saysUnsubscribed,
  isVisible,
  shapeProblem: (text) => shapeProblem(Buffer.from(text)),
  // Longer ones are not looked at.
  jsonPlace: (text) => jsonPlace(text.slice(0, 128 * 1024)),
  'jsonPlace of a string': (text) => jsonPlace(`"${text}`.slice(0, 128 * 1024)),
  quotedValue,
  'redact of a URL': (text) => redact(URL_TREE, text),
  'redact of a URL of the web': (text) => redact(URL_TREE, `https://${text}`),
  validationSentence: (text) => validationSentence([{ ...ERROR, instancePath: `/${text}` }], 'body'),
  'validationSentence of a schema': (text) => validationSentence([{ ...ERROR, instancePath: '/a', schemaPath: text, data: null }], 'body'),
  unstorableField: (text) => unstorableField({ [text]: text }),
  loggedReason,
  'createLog on a terminal': (text) => TERMINAL.info({ text }, text),
  'createLog of an error': (text) => TERMINAL.error({ err: new Error(text) }, 'failed'),
  withFrameScript,
  'withFrameScript after a doctype': (text) => withFrameScript(`<!${text}`),
  tokenIn,
  'tokenIn after Bearer': (text) => tokenIn(`Bearer ${text}`),
  cookies: (text) => BROWSER.parseCookie(text),
  isUnsubscribeLink: (text) => isUnsubscribeLink(`/${text}`),
  'overlongLinkReply of an address': (text) =>
    overlongLinkReply({ code: 'HPE_HEADER_OVERFLOW', rawPacket: Buffer.from(`GET /unsubscribe/${text}`) }),
  'overlongLinkReply of a language': (text) =>
    overlongLinkReply({ code: 'HPE_HEADER_OVERFLOW', rawPacket: Buffer.from(`GET /unsubscribe/ HTTP/1.1\r\naccept-language:${text}`) }),
}
