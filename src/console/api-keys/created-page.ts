// Shows a new key, once.
import { html } from '@remix-run/html-template'
import { consolePage } from '../shell/console-page.ts'
import { COPY_SCRIPT, copyable } from '../shell/copyable.ts'
import { keyName } from '../shell/senders.ts'
import { ADDRESS, keyAddress } from './key-words.ts'

export type CreatedView = { teamName: string; key: { id: string; name: string }; token: string }

export const createdPage = ({ teamName, key, token }: CreatedView): string =>
  consolePage({
    title: 'API key created',
    section: ADDRESS,
    teamName,
    files: [COPY_SCRIPT],
    main: html`<p role="status" class="note"></p>
<section class="sheet parts"><h1>The key <bdi>${keyName(key)}</bdi> was created</h1>
${copyable({ id: 'token', text: token, what: 'key' })}
<p><strong>Copy it now: it will not be shown again.</strong> Only a fingerprint of it is kept.</p>
<p class="note">Programs send it as <code>Authorization: Bearer re_…</code>. Keep it out of source code and of anything that others can read.</p>
<p class="choice"><a class="button" href="${ADDRESS}">I have copied it</a> <a class="button quiet" href="${keyAddress(key)}">Go to the key</a></p>
</section>`,
  })
