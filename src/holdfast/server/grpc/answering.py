"""How a verb is answered: its reply, or the status, code and message of the error that refused it."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any, Final, NoReturn

import grpc
import grpc.aio
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from holdfast.model.errors import HoldfastError, LimitExceeded
from holdfast.protocol.errors import CODE_KEY, FIELDS_KEY, INDEX_KEY, MESSAGE_KEY, fields_of, status_of
from holdfast.server.grpc.admission import Admission, Call, Context
from holdfast.server.grpc.observing import OK, WAITING, CallObserver

logger = logging.getLogger(__name__)

Behaviour = Callable[[Any, Call], Awaitable[Any]]

MAX_TOLD: Final = 3_000
"""Bytes of an error's message and of its fields in trailing metadata, which all peers take up to 8 KiB."""


def handlers(
    service: ServiceDescriptor, behaviours: dict[str, Behaviour], admission: Admission, observer: CallObserver
) -> "grpc.GenericRpcHandler":
    """The handlers of all unary methods of a service; a method without a behaviour, or the reverse, is a defect."""
    methods = {method.name: method for method in service.methods}
    assert methods.keys() == behaviours.keys(), f"{service.name}: {methods.keys() ^ behaviours.keys()}"
    table = {name: _unary(method, behaviours[name], admission, observer) for name, method in methods.items()}
    return grpc.method_handlers_generic_handler(service.full_name, table)


def _unary(
    method: MethodDescriptor, behaviour: Behaviour, admission: Admission, observer: CallObserver
) -> "grpc.RpcMethodHandler[Any, Any]":
    request: type[Message] = GetMessageClass(method.input_type)
    reply: type[Message] = GetMessageClass(method.output_type)
    waits = method.name in WAITING

    async def answer(message: Message, context: Context) -> Message:
        begun = time.perf_counter()
        try:
            caller = await admission.admit(context)
            caller.check(method.name)
            caller.quota.weigh(message)
            with caller.quota.connection() if waits else nullcontext():
                async with admission.gate.acting(caller, method.name, subject_of(message)):
                    made: Message = await behaviour(message, Call(context, caller))
        except HoldfastError as error:
            observer.answered(method.name, error.code, 0.0)
            await refuse(context, error, method.name)
        observer.answered(method.name, OK, time.perf_counter() - begun)
        return made

    return grpc.unary_unary_rpc_method_handler(
        answer,
        request_deserializer=request.FromString,
        response_serializer=reply.SerializeToString,
    )


def subject_of(message: Message) -> str:
    """What a request is about, for the audit log: its short fields, which are ids and reasons."""
    plain = [f"{field.name}={value}" for field, value in message.ListFields() if isinstance(value, str | int)]
    return " ".join(plain)


async def refuse(context: Context, error: HoldfastError, method: str = "") -> NoReturn:
    """End a call with an error; one that is beyond a quota hears of it only after a while."""
    if isinstance(error, LimitExceeded):
        await asyncio.sleep(error.hold_ms / 1_000)
    status = grpc.StatusCode[status_of(error, method)]
    message = str(error)
    if status is grpc.StatusCode.INTERNAL:
        logger.error("a call failed: %s", message, exc_info=error)
    told: list[tuple[str, str | bytes]] = [(CODE_KEY, error.code), (MESSAGE_KEY, message.encode()[:MAX_TOLD])]
    fields = fields_of(error)
    if len(fields) <= MAX_TOLD:
        told.append((FIELDS_KEY, fields))
    if error.command_index is not None:
        told.append((INDEX_KEY, str(error.command_index)))
    await context.abort(status, _one_line(message), tuple(told))


def _one_line(message: str) -> str:
    return " ".join(message.splitlines())[:500]
