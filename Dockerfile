# The page in a container, docs/web.md tells more:
#   docker build -t rollwise .
#   docker run --rm -p 127.0.0.1:8606:8606 -v rollwise:/kept rollwise

FROM python:3.12-slim AS built
WORKDIR /source
RUN pip install --no-cache-dir "build>=1.2,<2"
COPY . .
RUN python -m build --wheel --outdir /wheel .

FROM python:3.12-slim
COPY --from=built /wheel /wheel
# compiled to bytecode as root, who owns it: whoever runs the page can write nothing but /kept
RUN pip install --no-cache-dir --compile "$(echo /wheel/*.whl)[web]" && rm -r /wheel \
    && useradd --system --uid 8606 --home-dir /kept --shell /usr/sbin/nologin rollwise \
    && install -d -o rollwise -g rollwise -m 700 /kept
# solved games, and kernels compiled for the processor that the container runs on: both outlive it in a volume
ENV ROLLWISE_CACHE=/kept/solved ROLLWISE_KERNELS=/kept/kernels PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
VOLUME /kept
USER rollwise
WORKDIR /kept
EXPOSE 8606
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8606/healthz', timeout=4)"]
# all addresses of the container: which of the host's lead there, docker run -p says; options of `serve` may follow
ENTRYPOINT ["rollwise", "serve", "--host", "0.0.0.0"]
