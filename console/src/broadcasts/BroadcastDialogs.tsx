import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { ConfirmDialog } from '../parts/ConfirmDialog'
import { FormDialog } from '../parts/FormDialog'
import { useGo } from '../shell/address'
import { BROADCAST_ACT_TEXTS as TEXTS } from '../texts/broadcasts'

type DialogProps = { broadcast: { id: string; name: string }; isOpen: boolean; onClose: () => void }

const NAME_LENGTH_MAX = 70

export function RenameDialog({ broadcast, isOpen, onClose }: DialogProps) {
  const form = useForm({ initialValues: { name: broadcast.name } })
  const rename = useAct({
    run: ({ name }: { name: string }) =>
      answer(api.PATCH('/broadcasts/{broadcast_id}', { params: { path: { broadcast_id: broadcast.id } }, body: { name } })),
    done: TEXTS.renamed,
    changes: ['broadcasts'],
    onDone: onClose,
    isSilent: true,
  })
  return (
    <FormDialog
      title={TEXTS.rename}
      isOpen={isOpen}
      onClose={onClose}
      form={form}
      onSubmit={rename.mutate}
      error={rename.error}
      isBusy={rename.isPending}
    >
      <TextInput label={TEXTS.name} required maxLength={NAME_LENGTH_MAX} data-autofocus {...form.getInputProps('name')} />
    </FormDialog>
  )
}

export function DeleteDialog({ broadcast, isOpen, onClose }: DialogProps) {
  const go = useGo()
  const remove = useAct({
    run: () => answer(api.DELETE('/broadcasts/{broadcast_id}', { params: { path: { broadcast_id: broadcast.id } } })),
    done: TEXTS.removed,
    changes: ['broadcasts'],
    onDone: () => go('/broadcasts'),
  })
  return (
    <ConfirmDialog
      title={TEXTS.remove}
      question={TEXTS.removeQuestion}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
    />
  )
}
