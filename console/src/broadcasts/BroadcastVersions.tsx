import { answer, api } from '../api/client'
import { type RecordOf, useRecord, useRows } from '../api/queries'
import { OlderVersion } from '../content/OlderVersion'
import { Versions } from '../content/Versions'
import { Awaited } from '../parts/Awaited'
import { Facts } from '../parts/Facts'
import { MessageView } from '../parts/MessageView'
import { Section } from '../parts/Section'
import { useMay } from '../session/me'
import { BROADCAST_TEXTS as TEXTS } from '../texts/broadcasts'
import { VERSION_TEXTS } from '../texts/content'

type BroadcastVersionsProps = {
  broadcast: RecordOf<'/broadcasts/{broadcast_id}'>
  /** Null: the newest is shown, as the message of the broadcast. */
  shownId: string | null
  onShow: (id: string | null) => void
}

/** What the broadcast said before. While there is nothing to go back to, it is not shown. */
export function BroadcastVersions({ broadcast, shownId, onShow }: BroadcastVersionsProps) {
  const may = useMay()
  const path = { broadcast_id: broadcast.id }
  const list = useRows('/broadcasts/{broadcast_id}/versions', { path })
  const { status } = broadcast
  const currentId = list.rows.find(({ is_current }) => is_current)?.id ?? null
  const mayRestore =
    (status === 'draft' && may('broadcasts:write')) || (status === 'scheduled' && may('broadcasts:write', 'broadcasts:send'))
  if (list.rows.length < 2) return null
  return (
    <Versions
      list={list}
      hint={TEXTS.versionsHint}
      currentId={currentId}
      shownId={shownId ?? currentId}
      onShow={onShow}
      {...(mayRestore && {
        restore: {
          question: status === 'scheduled' ? TEXTS.restoreScheduledQuestion : TEXTS.restoreQuestion,
          run: (broadcast_version_id: string) =>
            answer(
              api.POST('/broadcasts/{broadcast_id}/versions/{broadcast_version_id}/restore', {
                params: { path: { ...path, broadcast_version_id } },
              }),
            ),
          done: TEXTS.restored,
          changes: ['broadcasts'],
        },
      })}
    />
  )
}

/** What it said then, with its placeholders as they were written. */
export function VersionMessage({
  broadcastId,
  versionId,
  onShowNewest,
}: {
  broadcastId: string
  versionId: string
  onShowNewest: () => void
}) {
  const read = useRecord('/broadcasts/{broadcast_id}/versions/{broadcast_version_id}', {
    path: { broadcast_id: broadcastId, broadcast_version_id: versionId },
  })
  const { data } = read
  return (
    <Section title={TEXTS.message}>
      <OlderVersion onShowNewest={onShowNewest} />
      {!data && <Awaited read={read} />}
      {data && (
        <>
          <Facts
            facts={[
              [TEXTS.from, data.from],
              [TEXTS.replyTo, data.reply_to],
              [TEXTS.subject, data.subject],
              [TEXTS.previewText, data.preview_text],
            ]}
          />
          <MessageView html={data.html} text={data.text} title={TEXTS.message} empty={VERSION_TEXTS.empty} />
        </>
      )}
    </Section>
  )
}
