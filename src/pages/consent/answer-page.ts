// The page after a request for access that ended without access. It stands where the library would send the browser on to an address that no one
// has verified: the person decides whether to follow.
import { html } from '@remix-run/html-template'
import { consentHeaders, consentShell } from './consent-shell.ts'
import { consentReadingOf } from './texts/texts.ts'

/** `address`: of the program, with the answer for it. */
export type AnswerView = { acceptLanguage: string | undefined; isRefusal: boolean; client: string | null; address: string }

export function answerPage({ acceptLanguage, isRefusal, client, address }: AnswerView): { headers: Record<string, string>; text: string } {
  const reading = consentReadingOf(acceptLanguage)
  const { texts } = reading
  const { host } = new URL(address)
  const title = isRefusal ? texts.refused : texts.noAccess
  const text = consentShell(reading, {
    title,
    heading: html`<h1>${title}</h1>`,
    main: html`${client === null ? '' : html`<p><strong><bdi>${client}</bdi></strong></p>`}
<p>${texts.nothingGiven}</p>
<p class="note">${texts.unknownSite}</p>
<p><a class="button" rel="noreferrer" href="${address}">${texts.backTo} <bdi>${host}</bdi></a></p>`,
  })
  return { headers: consentHeaders(reading, null), text }
}
