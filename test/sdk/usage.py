"""python3 usage.py SCENARIO: uses the installed package, and prints what it saw as JSON."""
import json
import os
import sys
from typing import Any

import stoa
from stoa import Stoa

url, key = os.environ["BASE"], os.environ["KEY"]
client = Stoa(url, key, retries=int(os.environ.get("RETRIES", "4")))


def lists() -> Any:
    for name in "ABCDE":
        client.products.create({"name": name, "price": 10})
    products = client.products.list({"sort": "name", "order": "asc", "per_page": 2})
    first = products.page()
    names = [product["name"] for product in products]
    return [[product["name"] for product in first.data], first.pagination["total"], names]


def loop() -> Any:
    names = ["A", "B", "C", "D", "E", "F", "G"]
    for name in names:
        client.products.create({"name": name, "price": 10, "product_status": "draft"})
    met = []
    for product in client.products.list({"status": "draft", "per_page": 2}):
        met.append(product["name"])
        client.products.update(product["id"], {"product_status": "active"})
    return sorted(met)


def refused() -> Any:
    seen: list[Any] = []
    try:
        client.products.create({"name": "", "price": 0})
    except stoa.ValidationError as error:
        faults = sorted(fault["field"] for fault in error.faults)
        seen += [error.status, error.code, faults, bool(error.request_id)]
    try:
        client.orders.get("ord_none")
    except stoa.NotFoundError as error:
        return [*seen, error.code]


def versions() -> Any:
    read = client.products.create({"name": "Mug", "price": 10})
    changed = client.products.update(read["id"], {"price": 11}, if_match=read)
    try:
        client.products.update(read["id"], {"price": 12}, if_match=read)
        return "it was changed"
    except stoa.PreconditionError:
        again = client.products.update(read["id"], {"price": 12}, if_match=changed)
    try:
        client.products.delete(read["id"], if_match=client.products.list().page().data[0])
    except TypeError as error:
        return [again["price"], "has no version" in str(error)]


def dry() -> Any:
    read = client.products.create({"name": "Mug", "price": 10})
    run = client.products.update(read["id"], {"price": 11}, dry_run=True)
    events = [event["event"] for event in run.rehearsal.get("events", [])]
    return [run.data["price"], events, client.products.get(read["id"])["price"]]


def once() -> Any:
    return client.products.create({"name": "Once", "price": 10})["name"]


def code() -> Any:
    try:
        return client.store.get()["currency"]
    except stoa.StoaError as error:
        return [type(error).__name__, error.code, error.retry_after_seconds]


def shopper() -> Any:
    try:
        client.storefront.checkouts.create("shop", {"items": []})
    except stoa.UnavailableError as error:
        return error.code


def feed() -> Any:
    direct = Stoa(os.environ["DIRECT"], key)
    for name in "ABC":
        direct.products.create({"name": name, "price": 10})
    events = client.events.after(0, wait=1)
    names = []
    for event in events:
        if event["event"] == "product.created" and event["body"]:
            names.append(event["body"]["product"]["name"])
        if len(names) == 2:
            break
    position = events.position
    for event in events:
        if event["event"] == "product.created" and event["body"]:
            names.append(event["body"]["product"]["name"])
        if names[-1] == "C":
            return [position, names]


def upload() -> Any:
    with open(os.environ["IMAGE"], "rb") as file:
        media = client.media.create({"file": stoa.File("cup.jpg", file.read(), "image/jpeg"), "alt_text": "A cup"})
    return media["alt_text"]


def webhooks() -> Any:
    seen = []
    for case in json.load(sys.stdin):
        try:
            body = case["body"]
            event = stoa.verify_webhook(case["secret"], case["headers"], body, now=case["now"])
            seen.append([event.event, event.id, event.sequence, event.is_test, event.body["event_id"]])
        except stoa.WebhookError as error:
            seen.append([error.check, str(error)])
    return seen


print(json.dumps(globals()[sys.argv[1]]()))
