// How far the list of contacts of a deleted segment is removed, on the page that follows.
import { html, type SafeHtml } from '@remix-run/html-template'
import { count } from '../contacts/contact-words.ts'
import { fragmentVersion } from '../shell/fragments.ts'
import { ADDRESS } from './segment-words.ts'

/** `left`: more than can be counted while someone waits if `isMore`. */
export type Removal = { segmentId: string; left: number; isMore: boolean }

/** Nothing if nothing was left when the page was opened. */
export const removalSection = (removal: Removal | null): SafeHtml =>
  removal === null || removal.left === 0
    ? html``
    : html`<section class="sheet" id="removal" data-live="${ADDRESS}/removed/${removal.segmentId}/progress" data-version="${fragmentVersion(removalFragment(removal))}">${standing(removal)}</section>`

/** Draws the part with the id that it has on its page. */
export const removalFragment = (removal: Removal): SafeHtml => html`<section id="removal">${standing(removal)}</section>`

const standing = ({ left, isMore }: Removal): SafeHtml =>
  left === 0
    ? html`<p>The deleted segment's list of contacts was removed.</p>`
    : html`<p>The deleted segment's list of contacts is being removed: ${isMore ? 'more than ' : ''}${count(left)} of it ${left === 1 ? 'is' : 'are'} left. The contacts themselves are kept.</p>
<progress aria-label="The list is being removed"></progress>`
