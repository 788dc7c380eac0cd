import { Button, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { UserPlus } from 'lucide-react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { FormDialog } from '../parts/FormDialog'
import { MEMBER_TEXTS as TEXTS } from '../texts/members'
import { type Role, RoleField } from './RoleField'

export function InvitePerson() {
  const [isOpen, dialog] = useDisclosure()
  const form = useForm<{ email: string; role: Role }>({ initialValues: { email: '', role: 'developer' } })
  const invite = useAct({
    run: (body: { email: string; role: Role }) => answer(api.POST('/invitations', { body })),
    done: ({ email }) => TEXTS.invited(email),
    changes: ['invitations'],
    isSilent: true,
    onDone: () => {
      dialog.close()
      form.reset()
    },
  })
  return (
    <>
      <Button leftSection={<UserPlus size={16} />} onClick={dialog.open}>
        {TEXTS.invite}
      </Button>
      <FormDialog
        title={TEXTS.invite}
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={invite.mutate}
        error={invite.error}
        isBusy={invite.isPending}
        act={TEXTS.invite}
      >
        <Text size="sm">{TEXTS.inviteHint}</Text>
        <TextInput label={TEXTS.email} type="email" required data-autofocus autoComplete="off" {...form.getInputProps('email')} />
        <RoleField label={TEXTS.role} value={form.values.role} onChange={(role) => form.setFieldValue('role', role)} />
      </FormDialog>
    </>
  )
}
