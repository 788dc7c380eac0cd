// Everything outside src/mail.
import { openSync } from 'node:fs'
import cookies from '@fastify/cookie'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { parseRelayUrl } from '../../../src/gateways/smtp/relay-url.ts'
import { resultOfReply } from '../../../src/gateways/smtp/smtp-outcome.ts'
import { filenameOf, contentTypeOf as typeOfResponse } from '../../../src/gateways/web/response-names.ts'
import { preferredLanguage } from '../../../src/lib/accept-language.ts'
import { saysUnsubscribed } from '../../../src/lib/audience/unsubscribed-words.ts'
import { readRange } from '../../../src/lib/byte-ranges.ts'
import { asDownload } from '../../../src/lib/content-disposition.ts'
import { csvLine } from '../../../src/lib/csv/csv-line.ts'
import { createCsvReader } from '../../../src/lib/csv/csv-rows.ts'
import { isRefusedData } from '../../../src/lib/database-errors.ts'
import { relativeName } from '../../../src/lib/domains/wanted-records.ts'
import { parseDuration } from '../../../src/lib/durations.ts'
import { readProxyHeader } from '../../../src/lib/inbound/proxy-header.ts'
import { jsonPlace } from '../../../src/lib/json-place.ts'
import { quotedValue } from '../../../src/lib/quotation.ts'
import { idOfShort } from '../../../src/lib/short-ids.ts'
import { createReturnPathTokens } from '../../../src/lib/signing/return-path-tokens.ts'
import { verifyToken } from '../../../src/lib/signing/signatures.ts'
import { StartupProblem } from '../../../src/lib/startup-problem.ts'
import { isVisible } from '../../../src/lib/visible-text.ts'
import { headersOf } from '../../../src/pages/emails/email-page.ts'
import { withFrameScript } from '../../../src/pages/frame/email-frame-script.ts'
import { isUnsubscribeLink, overlongLinkReply } from '../../../src/pages/unsubscribe/broken-links.ts'
import { tokenIn } from '../../../src/plugins/authentication.ts'
import { createLog } from '../../../src/process-log.ts'
import { shapeProblem } from '../../../src/schemas/bodies/body-shape.ts'
import { fieldTree } from '../../../src/schemas/bodies/field-tree.ts'
import { redact } from '../../../src/schemas/bodies/redaction.ts'
import { unstorableField, validationSentence } from '../../../src/schemas/bodies/validation-sentence.ts'
import { secretQuery } from '../../../src/schemas/common.ts'
import { loggedReason } from '../../../src/workers/engine/logged-reason.ts'
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
  headersOf: (text) => headersOf({ text }),
  tokenIn,
  'tokenIn after Bearer': (text) => tokenIn(`Bearer ${text}`),
  cookies: (text) => BROWSER.parseCookie(text),
  isUnsubscribeLink: (text) => isUnsubscribeLink(`/${text}`),
  'overlongLinkReply of an address': (text) =>
    overlongLinkReply({ code: 'HPE_HEADER_OVERFLOW', rawPacket: Buffer.from(`GET /unsubscribe/${text}`) }),
  'overlongLinkReply of a language': (text) =>
    overlongLinkReply({ code: 'HPE_HEADER_OVERFLOW', rawPacket: Buffer.from(`GET /unsubscribe/ HTTP/1.1\r\naccept-language:${text}`) }),
}
