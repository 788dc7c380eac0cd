import { Button } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { ApiError, answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { CHANGED_MEANWHILE, ChangedMeanwhile } from '../content/ChangedMeanwhile'
import { ConfirmDialog } from '../parts/ConfirmDialog'
import { AUTOSAVE_TEXTS } from '../texts/content'
import { TEMPLATE_TEXTS as TEXTS } from '../texts/templates'
import { PublishQuestion } from './PublishQuestion'

/** Publishes the version that was seen when the button was pressed, and says so if a colleague has written another one since. */
export function PublishButton({ template }: { template: RecordOf<'/templates/{template_id}'> }) {
  const [seen, setSeen] = useState<string | null>(null)
  const [refusal, setRefusal] = useState<Error | null>(null)
  const publish = useAct({
    run: async (expected_version: string) => {
      try {
        await answer(
          api.POST('/templates/{template_id}/publish', { params: { path: { template_id: template.id } }, body: { expected_version } }),
        )
        return true
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== CHANGED_MEANWHILE) throw error
        // The newest is read again by then, and shown below the question.
        setRefusal(error)
        return false
      }
    },
    done: (isPublished) => (isPublished ? TEXTS.publishDone : undefined),
    changes: ['templates'],
  })
  return (
    <>
      <Button loading={publish.isPending} onClick={() => setSeen(template.current_version_id)}>
        {TEXTS.publish}
      </Button>
      <ConfirmDialog
        title={TEXTS.publish}
        question={<PublishQuestion template={template} />}
        color="indigo"
        isOpen={seen !== null}
        onClose={() => setSeen(null)}
        onConfirm={() => seen !== null && publish.mutate(seen)}
      />
      <ChangedMeanwhile error={refusal}>
        <Button onClick={() => setRefusal(null)}>{AUTOSAVE_TEXTS.takeTheirs}</Button>
      </ChangedMeanwhile>
    </>
  )
}
