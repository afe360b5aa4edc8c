# The server, the worker and the command line in one image; `holdfast` is its entry point.
#
#   docker build --tag holdfast .
#   docker run --rm holdfast server --help
#
# An image of one's own workers begins with `FROM holdfast` and adds the app and what it needs.

FROM python:3.13-slim AS build
ENV UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy UV_NO_CACHE=1
RUN pip install --no-cache-dir "uv>=0.8"
WORKDIR /build
COPY . .
# The web UI is built on the way; Node comes as a package, and does not get into the image.
RUN uv build --wheel --out-dir dist
RUN uv venv /opt/holdfast
RUN uv pip install --python /opt/holdfast/bin/python --constraint requirements.lock \
    "holdfast[server,postgres,redis,rabbitmq,oidc,pydantic,otel] @ file://$(ls /build/dist/*.whl)"

FROM python:3.13-slim
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/holdfast --shell /usr/sbin/nologin holdfast
COPY --from=build /opt/holdfast /opt/holdfast
ENV PATH=/opt/holdfast/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /var/lib/holdfast
# REST, health, metrics and the UI; gRPC.
EXPOSE 8233 8234
STOPSIGNAL SIGTERM
ENTRYPOINT ["holdfast"]
CMD ["--help"]
