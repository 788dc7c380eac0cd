import { useForm } from '@mantine/form'
import { randomId } from '@mantine/hooks'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { LinkButton } from '../parts/LinkButton'
import { Page } from '../parts/Page'
import { useGo } from '../shell/address'
import { BROADCAST_TEXTS, DRAFT_TEXTS as TEXTS } from '../texts/broadcasts'
import { SHELL_TEXTS } from '../texts/shell'
import { DraftForm } from './DraftForm'
import { bodyOf, type DraftValues, EMPTY_DRAFT } from './draft'

export default function NewDraftPage() {
  const go = useGo()
  // What is sent twice, because the first answer was lost, is one broadcast.
  const [key] = useState(() => randomId('console-'))
  const form = useForm<DraftValues>({ initialValues: EMPTY_DRAFT })
  const create = useAct({
    run: (values: DraftValues) => answer(api.POST('/broadcasts', { params: { header: { 'Idempotency-Key': key } }, body: bodyOf(values) })),
    done: TEXTS.saved,
    changes: ['broadcasts'],
    onDone: ({ id }) => {
      form.resetDirty()
      go(`/broadcasts/${id}`)
    },
    isSilent: true,
  })
  return (
    <Page title={TEXTS.create} back={{ to: '/broadcasts', name: BROADCAST_TEXTS.title }}>
      <DraftForm
        form={form}
        onSubmit={create.mutate}
        error={create.error}
        isBusy={create.isPending}
        acts={
          <LinkButton variant="default" to="/broadcasts">
            {SHELL_TEXTS.cancel}
          </LinkButton>
        }
      />
    </Page>
  )
}
