// How topics are called.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { TopicRow } from '../../modules/audience/topics/topics.repository.ts'

export const ADDRESS = '/console/topics'

export const pathOf = ({ id }: { id: string }): string => `${ADDRESS}/${id}`

export const DEFAULT_WORDS: Record<TopicRow['defaultSubscription'], string> = {
  opt_in: 'Everyone gets it unless they opt out',
  opt_out: 'No one gets it unless they opt in',
}

export const VISIBILITY_WORDS: Record<TopicRow['visibility'], string> = {
  public: 'Every contact sees it on the unsubscribe page',
  private: 'Only contacts who are subscribed to it see it on the unsubscribe page',
}

export const visibilityTag = ({ visibility }: Pick<TopicRow, 'visibility'>): SafeHtml => html`<span class="tag">${visibility}</span>`
